import { type ExecFileException, execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import type { World } from "../../engine/world.ts";

/** What people are told: one JSON object for programs, with a sentence for people in `message`. */
export type Notification = {
  id: string;
  event: string;
  message: string;
  /** Null where no run stands behind it. */
  run_id: string | null;
  action_slug: string | null;
  created_at: string;
  /** Where a request can be decided, when there are signed links. */
  link?: string;
  [key: string]: unknown;
};

/** A way to reach people. Rejects when it could not. */
export type Channel = { name: string; send(notification: Notification): Promise<void> };

/** The user's channels (contract 7); none by default. */
export type NotifySettings = {
  command: string | null;
  webhook: string | null;
  webhookSecret: string | null;
  desktop: boolean;
};

const patienceMs = 30_000;

export function createChannels(settings: NotifySettings, world: Pick<World, "fetch" | "now">): Channel[] {
  const { command, webhook, webhookSecret, desktop } = settings;
  return [
    ...(command === null ? [] : [commandChannel(command)]),
    ...(webhook === null ? [] : [webhookChannel(webhook, webhookSecret, world)]),
    ...(desktop ? [desktopChannel()] : []),
  ];
}

/** Runs a program, without a shell, with the notification on its stdin. */
export function commandChannel(program: string): Channel {
  return { name: "command", send: async (notification) => execute(program, [], JSON.stringify(notification)) };
}

/** Posts to an address, signed as Standard Webhooks say (contract 11). A secret `whsec_…` is base64. */
export function webhookChannel(url: string, secret: string | null, world: Pick<World, "fetch" | "now">): Channel {
  return {
    name: "webhook",
    async send(notification) {
      const body = JSON.stringify(notification);
      const headers = {
        "content-type": "application/json",
        ...(secret !== null && signature(secret, notification.id, world.now(), body)),
      };
      const signal = AbortSignal.timeout(patienceMs);
      const answer = await world.fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`);
    },
  };
}

function signature(secret: string, id: string, now: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

/** Shows the sentence on the desktop of the user who runs the daemon. */
function desktopChannel(): Channel {
  return {
    name: "desktop",
    async send({ message }) {
      if (process.platform !== "darwin")
        return execute("notify-send", ["--app-name=Stepgate", "--", "Stepgate", message], "");
      // The text is an argument of the script, never part of it.
      const script = 'on run argv\ndisplay notification (item 1 of argv) with title "Stepgate"\nend run';
      return execute("osascript", ["-e", script, message], "");
    },
  };
}

async function execute(program: string, args: readonly string[], stdin: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile(program, args, { timeout: patienceMs }, (error) => {
      if (error) reject(new Error(`${program} ${describeEnd(error)}`));
      else resolve();
    });
    // A program that does not read its input is no failure.
    child.stdin?.on("error", () => undefined).end(stdin);
  });
}

/** How a program failed. Node's own error holds its arguments, and so what people were told; this one goes to the log. */
function describeEnd({ code, signal, killed }: ExecFileException): string {
  if (killed) return `did not end within ${patienceMs / 1000} s`;
  if (typeof code === "string") return `could not be started (${code})`;
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
}
