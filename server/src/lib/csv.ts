/** Writes tables as CSV (RFC 4180) in which spreadsheets cannot execute any cell. Knows no project words. */

/** A cell's value; null and undefined are empty. */
export type CsvCell = string | number | null | undefined;

/** What spreadsheets skip before a formula: whitespace, line ends and invisible characters. */
const unseen = /^[\s\p{Cc}\p{Cf}]+/u;

/**
 * True for text that a spreadsheet may treat as a formula: it begins with a line end or a tab, or its first
 * visible character is a formula sign, also in full width (East Asian editions run `＝1+1`). Signed numbers
 * are not formulas.
 */
function isFormula(text: string): boolean {
  if (/^[\t\r\n]/.test(text)) return true;
  const sign = text.replace(unseen, "").charAt(0).normalize("NFKC");
  return /^[=+\-@]/.test(sign) && !/^[+-]\d+(?:\.\d+)?$/.test(text);
}

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return "";
  const plain = String(cell);
  const text = isFormula(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line with its line end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}
