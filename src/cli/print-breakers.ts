import type { Breaker, BreakerList } from "../contract/breaker.ts";
import { type Cell, textCell, timeCell } from "./cell.ts";
import type { Output } from "./output.ts";
import { printListing } from "./print.ts";

/** Prints circuit breakers in whatever form the output asks for; `empty` is told when there is none. */
export async function printBreakers(output: Output, list: BreakerList, empty: string): Promise<void> {
  await printListing(output, {
    json: list,
    rows: list.breakers,
    id: ({ connector, connection_id, target }) => [connector, connection_id ?? target ?? []].flat().join(" "),
    columns: ["CONNECTOR", "CONNECTION", "HOST", "STATUS", "FAILURES", "OPENED", "NEXT TRIAL"],
    cells: (breaker) => [
      textCell(breaker.connector, "bold"),
      textCell(breaker.connection_id),
      textCell(breaker.target),
      statusCell(breaker),
      textCell(breaker.failures),
      timeCell(breaker.opened_at, output.now),
      timeCell(breaker.trial_at, output.now),
    ],
    empty,
  });
}

function statusCell({ status }: Breaker): Cell {
  if (status === "open") return { raw: status, style: "red" };
  return status === "half_open" ? { raw: status, text: "half open", style: "yellow" } : { raw: status, style: "green" };
}
