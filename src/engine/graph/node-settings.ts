import * as z from "zod";

/** Settings that every node but the placeholders may carry in `data`, beside its own config (contract 2). */
export const nodeSettings = z.object({
  label: z.string().optional(),
  continueOnFailure: z.boolean().default(false),
  maxRetries: z.int().min(0).max(10).default(0),
  requireApproval: z.boolean().default(false),
  approvalDescription: z.string().optional(),
});
export type NodeSettings = z.infer<typeof nodeSettings>;

const settingNames = new Set(Object.keys(nodeSettings.shape));

/** Parts a node's `data` into the settings that all share and the config of its own type. */
export function splitData(data: Readonly<Record<string, unknown>>): {
  settings: Record<string, unknown>;
  config: Record<string, unknown>;
} {
  const settings: Record<string, unknown> = Object.create(null);
  const config: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(data)) {
    if (settingNames.has(key)) settings[key] = value;
    else config[key] = value;
  }
  return { settings, config };
}
