import { expect, test } from "vitest";
import { launchdAgent, systemdUnit } from "./unit-text.ts";

const plan = {
  program: '/opt/my "tools"/100%/$x\\stepgate',
  args: ["serve"],
  env: { STEPGATE_HOME: "/srv/a&b <c> $d" },
  logFile: "/srv/daemon.log",
};

test("a path with signs that systemd reads is quoted for it", () => {
  const unit = systemdUnit(plan);
  expect(unit).toContain('ExecStart="/opt/my \\"tools\\"/100%%/$$x\\\\stepgate" "serve"\n');
  expect(unit).toContain('Environment="STEPGATE_HOME=/srv/a&b <c> $d"\n');
});

test("an agent of launchd holds texts as XML, keeps the daemon alive after a crash and gives it time to drain", () => {
  const agent = launchdAgent(plan);
  expect(agent).toContain("<key>STEPGATE_HOME</key><string>/srv/a&amp;b &lt;c&gt; $d</string>");
  expect(agent).toContain("<key>ExitTimeOut</key><integer>40</integer>");
  expect(agent).toMatch(/<key>KeepAlive<\/key>\s+<dict>\s+<key>SuccessfulExit<\/key><false\/>/);
});
