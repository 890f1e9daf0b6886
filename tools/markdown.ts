/** Parts of Markdown that the generated pages share. Pure. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A Markdown table. Each row has as many cells as there are headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Inline code. */
export const code = (text: string): string => `\`${text}\``;
/** Inline code, separated by commas. */
export const codes = (texts: readonly string[]): string => texts.map(code).join(", ");
