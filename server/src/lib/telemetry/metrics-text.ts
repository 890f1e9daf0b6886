/**
 * Prometheus text format 0.0.4: escaping, numbers, the lines of one family. Pure; knows no metric by name.
 */

/** Content type of the text. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** One family as text: its head, which is equal in all processes, and the lines of one process. */
export interface FamilyText {
  readonly name: string;
  /** The HELP and TYPE lines. */
  readonly head: string;
  /** The sample lines; empty when there are none. */
  readonly body: string;
}

/** Escapes quotes, backslashes and line ends in a label value. */
function escapeLabel(value: string): string {
  return /["\\\n]/.test(value)
    ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    : value;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** A number as the format writes it. */
export function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}

export function headText(name: string, help: string, type: "counter" | "gauge" | "histogram"): string {
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
}

/** `a="x",b="y"`; labels with an empty value are left out, which means the same. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  let text = "";
  for (let index = 0; index < names.length; index += 1) {
    const value = values[index] ?? "";
    if (value === "") continue;
    text += `${text === "" ? "" : ","}${names[index]}="${escapeLabel(value)}"`;
  }
  return text;
}

/** One sample line. `labels`: from `labelText`. */
export function sampleText(name: string, labels: string, value: string): string {
  return labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
}

/** Joins two label texts. */
export function joinLabels(one: string, other: string): string {
  if (one === "") return other;
  return other === "" ? one : `${one},${other}`;
}

/** The families of several processes as one text: each family once, with the lines of all processes. */
export function joinFamilies(processes: readonly (readonly FamilyText[])[]): string {
  const families = new Map<string, { head: string; body: string }>();
  for (const { name, head, body } of processes.flat()) {
    const known = families.get(name);
    if (known === undefined) families.set(name, { head, body });
    else known.body += body;
  }
  let text = "";
  for (const { head, body } of families.values()) if (body !== "") text += head + body;
  return text;
}
