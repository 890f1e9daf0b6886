/** Parses and formats durations and byte sizes: "500ms", "15m", "32MiB". Knows no project words. */

const msPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const bytesPerUnit: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

function readWithUnit(text: string, factors: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d{1,15})([A-Za-z]{1,3})$/.exec(text);
  if (match === null) return undefined;
  const factor = factors[match[2] ?? ""];
  if (factor === undefined) return undefined;
  const total = Number(match[1]) * factor;
  return Number.isSafeInteger(total) ? total : undefined;
}

/**
 * Milliseconds of "500ms", "5s", "15m", "2h" or "30d"; undefined for anything else, including a bare number.
 */
export function parseDurationMs(text: string): number | undefined {
  return readWithUnit(text, msPerUnit);
}

/** Bytes of "512B", "64KiB", "32MiB" or "1GiB"; undefined for anything else, including a bare number. */
export function parseBytes(text: string): number | undefined {
  return readWithUnit(text, bytesPerUnit);
}

function formatWithUnit(amount: number, factors: Readonly<Record<string, number>>): string {
  const best = Object.entries(factors).findLast(([, factor]) => amount > 0 && amount % factor === 0);
  return best === undefined ? `${amount}${Object.keys(factors)[0]}` : `${amount / best[1]}${best[0]}`;
}

/** The shortest text that `parseDurationMs` parses to `ms`. */
export function formatDuration(ms: number): string {
  return formatWithUnit(ms, msPerUnit);
}

/** A duration in a sentence, as the console writes it: "300 ms", "1.5 s". */
export function durationInSentence(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

/** The shortest text that `parseBytes` parses to `bytes`. */
export function formatBytes(bytes: number): string {
  return formatWithUnit(bytes, bytesPerUnit);
}
