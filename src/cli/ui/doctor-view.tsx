import { Box, Text } from "ink";

/** One check as `stepgate doctor --json` prints it (contract 18). */
export type DoctorCheck = { name: string; status: "ok" | "warn" | "fail"; message: string; fix?: string };

const marks = {
  ok: { glyph: "✓", ascii: "+", color: "green" },
  warn: { glyph: "!", ascii: "!", color: "yellow" },
  fail: { glyph: "✗", ascii: "x", color: "red" },
} as const;

/** The checks one below the other: state, name, message; a fix stands under its message, in the same column. */
export function DoctorView({ checks, ascii = false }: { checks: readonly DoctorCheck[]; ascii?: boolean }) {
  const nameWidth = Math.max(...checks.map((check) => check.name.length)) + 2;
  return (
    <Box flexDirection="column">
      {checks.map(({ name, status, message, fix }) => (
        <Box key={name}>
          <Box width={2} flexShrink={0}>
            <Text color={marks[status].color}>{ascii ? marks[status].ascii : marks[status].glyph}</Text>
          </Box>
          <Box width={nameWidth} flexShrink={0}>
            <Text>{name}</Text>
          </Box>
          <Box flexDirection="column">
            <Text>{message}</Text>
            {fix === undefined ? null : <Text dimColor>{`Fix: ${fix}`}</Text>}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
