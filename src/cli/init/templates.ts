/** A file of a new project: its path below the project's folder, and its text. */
export type ProjectFile = { path: string; text: string };

const schemaLine = "# yaml-language-server: $schema=../schema/workflow.schema.json\n";

const hello = `${schemaLine}# The smallest action there is: a name goes in, a greeting comes out.
#   stepgate publish
#   stepgate run hello -i name=Ada --wait
name: Hello
slug: hello # the action is run under this name; it never changes
description: Greets somebody by name. # what an agent reads to decide whether to run it

nodes:
  # Where the run begins. Its properties are what callers have to give, and are checked before the run is accepted.
  - id: action_input
    type: action_input
    data:
      properties:
        - { name: name, type: string, required: true, description: Who to greet }

  # Where it ends: the run's output. A template reads any node upstream, here the input.
  - id: result
    type: return_output
    data:
      properties:
        - { name: greeting, type: string, required: true, value: "Hello, {{action_input.name}}!" }

edges:
  - action_input -> result
`;

const helloTest = `# Cases for hello.yaml: stepgate test workflows/hello.test.yaml
- name: greets by name
  input: { name: Ada }
  expect:
    status: succeeded
    output: { greeting: "Hello, Ada!" }
    steps: { result: completed }
`;

const refund = `${schemaLine}# An action that asks a person first when much is at stake.
#   stepgate publish
#   stepgate run refund -i order=A-1 -i amount=250 --wait
#   stepgate approvals list, then stepgate approve RUN or stepgate reject RUN
name: Refund an order
slug: refund
description: Refunds an order. Amounts above 100 wait until a person has approved them.

nodes:
  - id: action_input
    type: action_input
    data:
      properties:
        - { name: order, type: string, required: true, description: Number of the order }
        - { name: amount, type: number, required: true, description: How much to give back }

  - id: is_large
    type: condition
    data:
      combinator: AND
      conditions:
        - { id: c1, field: "{{action_input.amount}}", operator: NUMBER_IS_GREATER_THAN, value: 100 }

  # A gate: the step runs only after somebody approved exactly these values.
  - id: approved
    type: set
    data:
      requireApproval: true
      approvalDescription: "Refund {{action_input.amount}} for order {{action_input.order}}"
      assignments:
        - { id: amount, key: amount, type: number, value: "{{action_input.amount}}" }

  - id: large
    type: return_output
    data:
      properties:
        - { name: refunded, type: number, value: "{{approved.amount}}" }

  - id: small
    type: return_output
    data:
      properties:
        - { name: refunded, type: number, value: "{{action_input.amount}}" }

edges:
  - action_input -> is_large
  - is_large.true -> approved
  - approved -> large
  - is_large.false -> small
`;

const refundTest = `# Cases for refund.yaml: stepgate test workflows/refund.test.yaml
- name: a small amount needs nobody
  input: { order: A-1, amount: 20 }
  expect:
    status: succeeded
    output: { refunded: 20 }

- name: a large amount is refunded once it is approved
  input: { order: A-1, amount: 250 }
  approvals: approve
  expect:
    status: succeeded
    steps: { approved: completed, small: skipped }

- name: a rejected refund is cancelled
  input: { order: A-1, amount: 250 }
  approvals: reject
  expect:
    status: cancelled
`;

export const templateNames = ["hello", "approval"] as const;
export type TemplateName = (typeof templateNames)[number];

const workflows: Record<TemplateName, readonly ProjectFile[]> = {
  hello: [
    { path: "workflows/hello.yaml", text: hello },
    { path: "workflows/hello.test.yaml", text: helloTest },
  ],
  approval: [
    { path: "workflows/refund.yaml", text: refund },
    { path: "workflows/refund.test.yaml", text: refundTest },
  ],
};

const project = `# Settings of this project for the stepgate command. It can name files and rules, never a daemon or a key.
workflows: ["workflows/**/*.{yaml,yml,json}"]
publish:
  on_breaking: error # or allow: publish although callers of an action have to change
run:
  timeout: 2m # how long run --wait and run --follow wait
`;

const ignored = `# Keys and data of Stepgate never go into the repository.
*.key
.stepgate/
`;

/** The files of a new project, the schema for editors among them. */
export function projectFiles(template: TemplateName, schema: string): readonly ProjectFile[] {
  return [
    { path: "stepgate.yaml", text: project },
    ...workflows[template],
    { path: "schema/workflow.schema.json", text: schema },
    { path: ".gitignore", text: ignored },
  ];
}
