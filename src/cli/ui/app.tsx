import { Box, Text, useApp, useInput, usePaste, useWindowSize } from "ink";
import { memo, useEffect, useMemo, useSyncExternalStore } from "react";
import type { Line, Span } from "./draw/line.ts";
import type { Theme } from "./draw/theme.ts";
import type { Session } from "./live/session.ts";
import { readKeys } from "./read-keys.ts";
import { drawScreen } from "./screens/draw.ts";
import { speakScreen } from "./screens/speak.ts";

export type AppHandle = ReturnType<typeof useApp>;

type Props = {
  session: Session;
  theme: Theme;
  now: () => number;
  /** Called once the app can end and lend the terminal to other programs. */
  onReady: (app: AppHandle) => void;
};

/** The terminal UI: the one place where keys come in and lines go out. */
export function App({ session, theme, now, onReady }: Props) {
  const model = useSyncExternalStore(session.subscribe, session.shown);
  const app = useApp();
  const { columns, rows } = useWindowSize();
  useEffect(() => onReady(app), [app, onReady]);
  useEffect(() => session.tell({ type: "resize", size: { columns, rows } }), [session, columns, rows]);
  useInput((input, key) => {
    for (const name of readKeys(input, key)) session.tell({ type: "key", key: name, at: now() });
  });
  usePaste((text) => session.tell({ type: "paste", text, at: now() }));
  // The window's own size, so that no frame is drawn for a window that is gone.
  const sized = useMemo(() => ({ ...model, size: { columns, rows } }), [model, columns, rows]);
  if (model.place.isSpoken) return <Spoken lines={speakScreen(sized)} />;
  return <Lines lines={drawScreen(sized, theme)} isColoured={theme.isColoured} />;
}

/** For screen readers: each sentence a line of its own. */
function Spoken({ lines }: { lines: readonly string[] }) {
  return (
    <Box flexDirection="column">
      {lines.map((line, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line is its place on the screen
        <Text key={place}>{line}</Text>
      ))}
    </Box>
  );
}

function Lines({ lines, isColoured }: { lines: readonly Line[]; isColoured: boolean }) {
  return (
    <Box flexDirection="column">
      {lines.map((line, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line is its place on the screen
        <LineView key={place} line={line} isColoured={isColoured} />
      ))}
    </Box>
  );
}

/** One line. A line that says the same as before is not drawn again. */
const LineView = memo(
  ({ line, isColoured }: { line: Line; isColoured: boolean }) => (
    <Text wrap="truncate">
      {merge(line).map((piece, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- a piece is its place in the line
        <Text key={place} {...(isColoured ? lookOf(piece) : {})}>
          {piece.text}
        </Text>
      ))}
    </Text>
  ),
  (before, after) => before.isColoured === after.isColoured && isSameLine(before.line, after.line),
);
LineView.displayName = "LineView";

function lookOf({ style, isBold = false }: Span) {
  const bold = isBold || style === "bold";
  if (style === undefined || style === "bold") return { bold };
  return style === "dim" ? { bold, dimColor: true } : { bold, color: style };
}

/** Neighbours of one look become one piece. */
function merge(line: Line): Span[] {
  const merged: Span[] = [];
  for (const piece of line) {
    const last = merged.at(-1);
    if (last && last.style === piece.style && last.isBold === piece.isBold) last.text += piece.text;
    else merged.push({ ...piece });
  }
  return merged.filter(({ text }) => text !== "");
}

function isSameLine(a: Line, b: Line): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((piece, place) => {
      const other = b[place];
      return other?.text === piece.text && other.style === piece.style && other.isBold === piece.isBold;
    })
  );
}
