import { drawFrame, overlay } from "../draw/frame.ts";
import { fitLine, type Line, lineOf, span } from "../draw/line.ts";
import type { Theme } from "../draw/theme.ts";
import { toAscii } from "../draw/to-ascii.ts";
import { isTooSmall, layoutOf, leastSize } from "../model/layout.ts";
import type { Model } from "../model/model.ts";
import { drawApprovals } from "./approvals.ts";
import { drawFooter } from "./footer.ts";
import { drawForm } from "./form.ts";
import { drawGraph, drawGraphInfo } from "./graph.ts";
import { drawHeader } from "./header.ts";
import { drawActions, drawWorkflows } from "./lists.ts";
import { drawConfirm, drawConnectionPanel, drawHelp, drawText } from "./panels.ts";
import { drawRun, drawRunInfo } from "./run.ts";
import { drawRuns, drawRunsInfo } from "./runs.ts";

/** The whole screen as lines, each exactly as wide as the terminal, and as many as it has rows. */
export function drawScreen(model: Model, theme: Theme): Line[] {
  const lines = drawLines(model, theme);
  return theme.isAscii ? lines.map(toAscii) : lines;
}

function drawLines(model: Model, theme: Theme): Line[] {
  const { size } = model;
  if (isTooSmall(size)) {
    const text = `Too small: ${size.columns}x${size.rows}, needs ${leastSize.columns}x${leastSize.rows}`;
    return [fitLine(lineOf(text), size.columns, theme.more)];
  }
  const body = drawOver(model, drawBody(model, theme), theme);
  const frame = {
    header: drawHeader(model, theme),
    body,
    info: drawInfo(model, theme),
    footer: drawFooter(model, theme),
  };
  return drawFrame(frame, size, theme);
}

function drawBody(model: Model, theme: Theme): Line[] {
  switch (model.screen) {
    case "runs":
      return drawRuns(model, theme);
    case "approvals":
      return drawApprovals(model, theme);
    case "actions":
      return drawActions(model, theme);
    case "workflows":
      return drawWorkflows(model, theme);
    case "graph":
      return drawGraph(model, theme);
    case "run":
      return drawRun(model, theme);
  }
}

/** What lies over the body: a form, a question, help, or the panel of a daemon that is gone. */
function drawOver(model: Model, body: Line[], theme: Theme): Line[] {
  const layout = layoutOf(model.size);
  const over = drawModal(model, theme, layout) ?? drawConnectionPanel(model, theme);
  return over ? overlay(body, over, layout) : body;
}

function drawModal(model: Model, theme: Theme, { width, height }: { width: number; height: number }): Line[] | null {
  const { modal } = model;
  switch (modal?.kind) {
    case "help":
      return drawHelp(model, modal.top, height, theme);
    case "log":
      return drawText(modal, model, height, theme);
    case "confirm":
      return drawConfirm(modal, model, theme);
    case "form":
      // Over the approvals it stands below the request that it is about.
      return model.screen === "approvals" ? null : drawForm(modal, model, Math.min(76, width - 2), theme);
    case undefined:
      return null;
  }
}

/** The line below the box: news, else what belongs to the screen. */
function drawInfo(model: Model, theme: Theme): Line {
  const { notice, place, daemonVersion } = model;
  if (notice && !model.isFiltering) return [span(` ${notice.text}`, notice.isBad ? "red" : "green")];
  if (daemonVersion !== null && daemonVersion !== place.version)
    return [span(` The daemon is ${daemonVersion}, this command ${place.version}: restart the daemon`, "yellow")];
  switch (model.screen) {
    case "runs":
      return drawRunsInfo(model, theme);
    case "run":
      return drawRunInfo(model);
    case "graph":
      return drawGraphInfo(model, theme);
    case "approvals":
    case "actions":
    case "workflows":
      return [];
  }
}
