/** Workflows that the tests of the command line publish. */

const input = (name: string, type: string, required = false) =>
  `  - {id: action_input, type: action_input, data: {properties: [{name: ${name}, type: ${type}, required: ${required}}]}}`;

export const greet = `
name: Greet
slug: greet
description: Greets somebody.
nodes:
${input("name", "string", true)}
  - {id: say, type: set, data: {assignments: [{id: a, key: text, value: "Hello, {{action_input.name}}!"}]}}
  - {id: done, type: return_output, data: {properties: [{name: text, type: string, value: "{{say.text}}"}]}}
edges: [action_input -> say, say -> done]
`;

export const typed = `
name: Typed
slug: typed
nodes:
  - id: action_input
    type: action_input
    data:
      properties:
        - {name: amount, type: number}
        - {name: isPaid, type: boolean}
        - {name: tags, type: array}
        - {name: code, type: string}
  - {id: done, type: return_output, data: {properties: [{name: amount, type: number, value: "{{action_input.amount}}"}]}}
edges: [action_input -> done]
`;

export const broken = `
name: Broken
slug: broken
nodes:
${input("name", "string")}
  - {id: stop, type: stop_and_error, data: {errorMessage: "no {{action_input.name}} today"}}
  - {id: done, type: return_output, data: {}}
  - {id: check, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{action_input.name}}", operator: EXISTS}]}}
edges: [action_input -> check, check.true -> stop, check.false -> done]
`;

/** Two journal events for each item and step. */
export const repeated = `
name: Repeated
slug: repeated
nodes:
${input("items", "array")}
  - {id: each, type: loop, data: {items: "{{action_input.items}}"}}
  - {id: body, type: set, data: {assignments: [{id: a, key: item, value: "{{item}}"}]}}
  - {id: done, type: return_output, data: {}}
edges: [action_input -> each, each.loop -> body, each.done -> done]
`;

/** Line 6 names a node that is not there; line 5 has a template without its source. */
export const faulty = `name: Faulty
slug: faulty
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: done, type: return_output, data: {properties: [{name: x, type: string, value: "{{ghost.x}}"}]}}
edges: [action_input -> done, done -> nowhere]
`;
