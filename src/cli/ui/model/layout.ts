import { bodySize, type Size } from "../draw/frame.ts";

/** The least that everything is drawn in. */
export const leastSize: Size = { columns: 60, rows: 15 };

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < leastSize.columns || rows < leastSize.rows;
}

/** How the panes of the screens share the body. Rows of lists are without their titles. */
export type Layout = {
  width: number;
  height: number;
  /** Rows of a list that has the body to itself: without titles and the line below. */
  listRows: number;
  /** Rows of requests above the details of the selected one. */
  approvalRows: number;
  /** Of the view of a run: steps and journal side by side, the payload below. */
  stepWidth: number;
  paneRows: number;
  payloadRows: number;
  /** Rows of the graph. */
  graphRows: number;
};

export function layoutOf(size: Size): Layout {
  const { width, height } = bodySize(size);
  const paneRows = Math.max(3, Math.floor((height - 3) * 0.55));
  return {
    width,
    height,
    listRows: height - 2,
    approvalRows: Math.max(2, Math.floor(height * 0.25)),
    stepWidth: Math.floor(width * 0.4),
    paneRows,
    // Titles of the panes, the line between them and the payload's title take three.
    payloadRows: height - paneRows - 3,
    graphRows: height,
  };
}
