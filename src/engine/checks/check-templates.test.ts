import { describe, expect, it } from "vitest";
import { callable, check, single, summarize, workflow } from "../../../test/support/definitions.ts";

/** A Set with a template below `value`, beside a node that is not upstream of it. */
function reading(text: string) {
  const set = `{id: a, type: set, data: {value: {deep: ["${text}"]}}}`;
  return callable([set, "{id: other, type: noop}"], "action_input -> a; a -> done; action_input -> other");
}
const deep = "/nodes/1/data/value/deep/0 a";

/** A loop with a Set in its body, and one after it. */
function looping(inside: string, after = "x") {
  const nodes = [
    "{id: each, type: loop, data: {itemVariable: row}}",
    `{id: in, type: set, data: {value: "${inside}"}}`,
    `{id: out, type: set, data: {value: "${after}"}}`,
  ];
  return callable(nodes, "action_input -> each; each.loop -> in; each.done -> out; out -> done");
}

const filter = (items: string, field: string) =>
  single("filter", `{items: "${items}", conditions: [{field: "${field}"}]}`);
const hook = (secret: string) => workflow([`{id: t, type: trigger, data: {kind: webhook, secret: "${secret}"}}`], "");

describe("checkTemplates", () => {
  it.each([
    ["an expression", reading("x {{a + 1}}"), `malformed_template ${deep}`, /Malformed template at character \d+: /],
    ["an empty template", reading("{{}}"), `malformed_template ${deep}`, /Malformed template at character/],
    ["an unclosed template", reading("abc {{run.id"), `malformed_template ${deep}`, /at character 5: /],
    [
      "a root that nothing has",
      reading("{{zebra.x}}"),
      `unknown_template_root ${deep}`,
      /\{\{zebra\.x\}\}: zebra is neither/,
    ],
    ["a slip", reading("{{acton_input.x}}"), `unknown_template_root ${deep}`, /did you mean action_input\?/],
    ["a node beside it", reading("{{other.x}}"), `template_not_upstream ${deep}`, /other is not upstream of a/],
    ["its own output", reading("{{a.x}}"), `template_not_upstream ${deep}`, /can't read its own output/],
    ["a trigger that is not there", reading("{{trigger.x}}"), `unknown_template_root ${deep}`, /no trigger node/],
    ["loop outside loops", reading("{{loop.index}}"), `template_outside_loop ${deep}`, /a is in no loop's body/],
    ["all secrets at once", reading("{{secret}}"), `template_incomplete ${deep}`, /secret\.NAME/],
    [
      "a body's node after the loop",
      looping("x", "{{in.x}}"),
      "template_not_upstream /nodes/3/data/value out",
      /in runs inside the loop each; read \{\{each\.iterations\}\} instead/,
    ],
    [
      "an item variable after the loop",
      looping("x", "{{row.x}}"),
      "unknown_template_root /nodes/3/data/value out",
      /row is neither/,
    ],
    [
      "a filter's item outside its conditions",
      filter("{{item.x}}", "x"),
      "unknown_template_root /nodes/1/data/items a",
      /item is neither/,
    ],
    [
      "a slip in a filter's condition",
      filter("x", "{{itm.x}}"),
      "unknown_template_root /nodes/1/data/conditions/0/field a",
      /did you mean item\?/,
    ],
    [
      "a slip in an approval's description",
      single("noop", '{approvalDescription: "{{zebra.x}}"}'),
      "unknown_template_root /nodes/1/data/approvalDescription a",
      /zebra/,
    ],
    [
      "what a trigger can't know",
      hook("{{run.id}}"),
      "template_not_upstream /nodes/0/data/secret t",
      /only var and secret/,
    ],
  ])("refuses %s", (_, definition, place, message) => {
    const errors = summarize(definition, "error");
    expect(errors.places).toEqual([place]);
    expect(errors.message).toMatch(message);
  });

  it.each([
    [
      "a slip in an input's name",
      reading("{{action_input.amuont}}"),
      `unknown_input_field ${deep}`,
      /did you mean amount\?/,
    ],
    ["what run does not have", reading("{{run.name}}"), `unknown_template_field ${deep}`, /run\.id, run\.source/],
    [
      "what loop does not have",
      looping("{{loop.item}}"),
      "unknown_template_field /nodes/2/data/value in",
      /loop\.index/,
    ],
    ["a path without braces", reading("action_input.amount"), `bare_path ${deep}`, /\{\{action_input\.amount\}\}/],
    ["an item's path without braces", looping("row.x[0]"), "bare_path /nodes/2/data/value in", /plain text/],
    ["a loop's output in its body", looping("{{each.x}}"), "loop_not_done /nodes/2/data/value in", /read \{\{row\}\}/],
  ])("warns of %s", (_, definition, place, message) => {
    const warnings = summarize(definition, "warning");
    expect(warnings.places).toEqual([place]);
    expect(warnings.message).toMatch(message);
    expect(summarize(definition, "error").places).toEqual([]);
  });

  it.each([
    ["fields outside the input's schema", reading("{{action_input.colour}}")],
    ["the input by the word output", reading("{{action_input.output.amount}}")],
    ["literal braces", reading("{{{{not.a.root}}")],
    ["a text that is a path into nothing", reading("example.com")],
    ["a text that is a name alone", reading("action_input")],
    ["a path in a sentence", reading("action_input.amount is read")],
    ["the values of a workspace and of the run", reading("{{var.A}} {{secret.B}} {{run.started_at}}")],
    ["items and counters in a body", looping("{{row.x}} {{loop.index}} {{loop.total}} {{action_input.list[0]}}")],
    ["a loop's output after it", looping("x", "{{each.iterations}} {{each.output.totalItems}}")],
    ["a filter's own roots in its conditions", filter("{{action_input.list}}", "{{item.x}} {{index}} {{run.id}}")],
    ["a secret in a trigger", hook("{{secret.HOOK}}")],
    [
      "a trigger by either of its names",
      workflow(
        ["{id: t, type: trigger, data: {kind: webhook}}", '{id: a, type: set, data: {value: "{{trigger.x}} {{t.x}}"}}'],
        "t -> a",
      ),
    ],
  ])("lets a template read %s", (_, definition) => {
    expect(check(definition)).toEqual([]);
  });
});
