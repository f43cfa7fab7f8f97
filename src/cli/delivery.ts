import type { DeliveryBody } from "../contract/trigger.ts";
import { type Cell, textCell, timeCell } from "./cell.ts";
import type { Output } from "./output.ts";

export const deliveryColumns = ["WHEN", "STATUS", "RUN", "REASON", "EVENT", "ID"] as const;

export function deliveryCells(delivery: DeliveryBody, { now }: Pick<Output, "now">): Cell[] {
  const { status } = delivery;
  return [
    timeCell(delivery.created_at, now),
    status === null ? textCell("waits") : textCell(status, status < 400 ? "green" : "red"),
    textCell(delivery.run_id),
    textCell(delivery.reason),
    textCell(delivery.dedup_id),
    textCell(delivery.id),
  ];
}
