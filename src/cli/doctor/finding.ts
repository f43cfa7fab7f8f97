import type { DaemonStatus } from "../../contract/control.ts";
import type { Home } from "../../contract/home.ts";
import type { Context } from "../context.ts";
import type { Check } from "../wiring.ts";

/** A check, and what mends it where that can do no harm. */
export type Finding = Check & { repair?: () => void };

/** What the checks look at. `status` is null when no daemon answers. */
export type Examined = { context: Context; home: Home; status: DaemonStatus | null };
