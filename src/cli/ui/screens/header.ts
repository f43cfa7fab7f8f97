import { type Line, span } from "../draw/line.ts";
import { sayLeft, showLeft, showTook } from "../draw/moments.ts";
import { statusLook, type Theme } from "../draw/theme.ts";
import { spread } from "../draw/line.ts";
import type { Model } from "../model/model.ts";
import { shortId } from "../model/short-id.ts";

const tabs = [
  ["runs", "1", "Runs"],
  ["approvals", "2", "Approvals"],
  ["actions", "3", "Actions"],
  ["workflows", "4", "Graph"],
] as const;

/** The first line: where one is, and how the daemon is. */
export function drawHeader(model: Model, theme: Theme): Line {
  const left = model.screen === "run" || model.screen === "graph" ? drawPath(model, theme) : drawTabs(model);
  const right =
    model.screen === "run" && model.connection.kind === "live" ? runState(model, theme) : connection(model, theme);
  return spread([span(" "), span("stepgate", "bold"), ...left], [...right, span(" ")], model.size.columns, theme.more);
}

function drawTabs(model: Model): Line {
  const waiting = model.approvals.all?.length;
  const isKnown = model.connection.kind !== "lost";
  const count = !isKnown ? "·?" : waiting ? `·${waiting}` : "";
  return tabs.flatMap(([screen, key, name]): Line => {
    const text = `${key} ${name}${screen === "approvals" ? count : ""}`;
    return screen === model.screen ? [span(" "), span(`[${text}]`, "cyan")] : [span(` ${text} `)];
  });
}

function drawPath(model: Model, { into }: Theme): Line {
  const parts = model.screen === "run" ? ["Runs", nameRun(model)] : ["Graph", nameGraph(model)];
  return parts.flatMap((part): Line => [span(` ${into} `, "dim"), span(part)]);
}

function nameRun({ run }: Model): string {
  const detail = run?.detail;
  return `${shortId(run?.id ?? "")}  ${detail?.action_slug ?? ""}${versionOf(detail?.action_release_version)}`;
}

function nameGraph({ graph }: Model): string {
  if (!graph) return "";
  const over = graph.runId === null ? "" : `  run ${shortId(graph.runId)}`;
  return `${graph.title}${versionOf(graph.version)}${over}`;
}

function versionOf(version: number | null | undefined): string {
  return version === null || version === undefined ? "" : ` v${version}`;
}

function runState({ run, now }: Model, theme: Theme): Line {
  const detail = run?.detail;
  if (!detail) return [];
  const { sign, word, style } = statusLook(detail.status, theme);
  const { approval, duration_ms: took } = detail;
  const left = approval?.status === "pending" ? ` · ${sayLeft(Date.parse(approval.expires_at) - now)}` : "";
  return [span(`${sign} ${word}`, style), span(took === null ? left : ` · ${showTook(took)}`)];
}

/** The connection in words; a lost one tells for how long. */
function connection({ connection: state, place, now }: Model, theme: Theme): Line {
  switch (state.kind) {
    case "connecting":
      return [span(`${theme.lost} connecting`, "dim"), span(`  ${place.address}`, "dim")];
    case "live":
      return [span(`${theme.live} live`, "green"), span(`  ${place.address}`, "dim")];
    case "lost": {
      const seconds = Math.max(0, now - state.since);
      return [span(`${theme.lost} DISCONNECTED ${seconds === 0 ? "00:00" : showLeft(seconds)}`, "red")];
    }
    case "refused":
      return [span(`${theme.lost} REFUSED ${state.code}`, "red")];
    case "limited":
      return [span(`${theme.lost} rate limited`, "yellow")];
  }
}
