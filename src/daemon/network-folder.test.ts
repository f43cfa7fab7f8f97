import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { refuseNetworkFolder } from "./network-folder.ts";

test.skipIf(process.platform !== "linux")(
  "a folder on another machine is refused by the name of its file system",
  () => {
    expect(() => refuseNetworkFolder("/mnt/nfs", () => 0x6969)).toThrow(
      "/mnt/nfs lies on a network file system (NFS), where nothing can be kept safely",
    );
    // Some systems tell the number with its sign.
    expect(() => refuseNetworkFolder("/mnt/smb", () => 0xfe534d42 | 0)).toThrow("(SMB)");
    refuseNetworkFolder(tmpdir());
  },
);
