/** Returns a greeting. */
export const greet = `
name: Greet
slug: greet
description: Greets somebody.
nodes:
  - id: action_input
    type: action_input
    data:
      properties:
        - {name: name, type: string, required: true}
        - {name: times, type: integer}
  - {id: done, type: return_output, data: {properties: [{name: text, type: string, value: "Hello {{action_input.name}}"}]}}
edges:
  - action_input -> done
`;

/** Passes a noop on its way; a test can hold it there. */
export const pass = `
name: Pass
slug: pass
nodes:
  - {id: action_input, type: action_input, data: {properties: []}}
  - {id: gate, type: noop, name: The gate}
  - {id: done, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges:
  - action_input -> gate
  - gate -> done
`;
