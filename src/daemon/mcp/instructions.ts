/** What is said when all the tools that it speaks of are there. */
const sentences: readonly [text: string, ...tools: string[]][] = [
  ["Stepgate runs workflows on the user's machine; a published one is an action."],
  ["Find an action with list_actions.", "list_actions"],
  ["get_action gives the schema of its input.", "get_action"],
  ["run_action starts a run and returns it at once.", "run_action"],
  ["get_run_status follows a run; with wait_seconds it waits for the end.", "get_run_status"],
  [
    "A run in waiting_for_approval goes on when a person agrees: tell the user, do not start it again.",
    "get_run_status",
  ],
  ["get_run_events shows why a run failed.", "get_run_events"],
];

/** How to use the tools that a caller sees, in at most 500 characters. */
export function writeInstructions(tools: ReadonlySet<string>): string {
  return sentences
    .filter(([, ...needed]) => needed.every((tool) => tools.has(tool)))
    .map(([text]) => text)
    .join(" ");
}
