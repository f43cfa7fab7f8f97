import { findNodeMistake } from "./daemon/native/node-abi.ts";

// Imported first by main.ts: on another Node the native packages end the process with a segmentation fault.
const mistake = findNodeMistake();
if (mistake) {
  process.stderr.write(`stepgate: ${mistake}\n`);
  process.exit(1);
}
