import { expect, it, onTestFinished } from "vitest";
import { createTypeStripper } from "./type-stripper.ts";

function openStripper() {
  const stripper = createTypeStripper();
  onTestFinished(() => stripper.stop());
  return stripper;
}

it("types give way to blanks, so that every place stays where it was", async () => {
  const code = "type A = { n: number };\nexport const run = (a: A): number =>\n  a.n!;";
  const stripped = await openStripper().strip(code);
  if (!("code" in stripped)) throw new Error(stripped.problem.message);
  expect(stripped.code).not.toMatch(/type|number|!/);
  expect(stripped.code.split("\n").map((line) => line.length)).toEqual(code.split("\n").map((line) => line.length));
});

it.each([
  ["enum A {}", 1, 1, /^A TypeScript enum is more than a type; write it as JavaScript$/],
  ["let a;\n  namespace A { let b }", 2, 3, /namespace/],
  ["class A { constructor(private a) {} }", 1, 31, /parameter property/],
  ["let a = 1;\n\tlet b: = 2;", 2, 9, /Unexpected token/],
  ["const run = <div/>", 1, 18, /Expression expected/],
])("%j is a problem at %i:%i", async (code, line, column, message) => {
  expect(await openStripper().strip(code)).toEqual({
    problem: { message: expect.stringMatching(message), line, column },
  });
});

it("code that breaks the stripper is a problem, and the next script is stripped", async () => {
  const stripper = openStripper();
  const broken = stripper.strip("(".repeat(5000));
  const next = stripper.strip("let a: number");
  expect(await broken).toEqual({
    problem: expect.objectContaining({ message: expect.stringContaining("too deeply") }),
  });
  expect(await next).toEqual({ code: "let a        " });
});
