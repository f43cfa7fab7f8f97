import { renderToString } from "ink";
import { expect, it } from "vitest";
import { DoctorView, type DoctorCheck } from "./doctor-view.tsx";

const checks: DoctorCheck[] = [
  { name: "node", status: "ok", message: "Node 26.10.0" },
  { name: "disk", status: "warn", message: "1 GB left" },
  { name: "sandbox", status: "fail", message: "no answer from the sandbox process", fix: "Run npm ci" },
];

it("states, names and messages stand in columns, and long messages wrap inside theirs", () => {
  expect(renderToString(<DoctorView checks={checks} />, { columns: 32 }).split("\n")).toEqual([
    "✓ node     Node 26.10.0",
    "! disk     1 GB left",
    "✗ sandbox  no answer from the",
    "           sandbox process",
    "           Fix: Run npm ci",
  ]);
});

it("a terminal without Unicode gets other marks", () => {
  const lines = renderToString(<DoctorView checks={checks} ascii />, { columns: 80 }).split("\n");
  expect(lines.map((line) => line[0])).toEqual(["+", "!", "x", " "]);
});
