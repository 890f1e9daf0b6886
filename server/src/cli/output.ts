/** Command output: one JSON document, or a table. */
import type { CommandIo } from "./command-io.ts";

/** Writes exactly one JSON document. */
export function writeJson(io: CommandIo, value: unknown): void {
  io.out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Formats a Unix time in milliseconds as ISO 8601 in UTC, with milliseconds. */
export function isoTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

/** Formats a time for a table: UTC, to the second. */
export function shortTime(unixMs: number): string {
  return isoTime(unixMs).slice(0, 19).replace("T", " ");
}

/** "1 entry", "2 entries". */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** A size for people: "512 B", "1.5 GiB". */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}

/** Removes control characters, so that text chosen by callers cannot control the terminal. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, "�");

/** Formats columns under headings, two spaces apart. `right`: headings of number columns. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const cells = [headings, ...rows.map((row) => row.map(plain))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(headings[column] ?? "") ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
