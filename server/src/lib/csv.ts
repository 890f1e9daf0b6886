/**
 * Writes tables as CSV (RFC 4180) that spreadsheets open without running anything. Knows no project words.
 */

/** What a cell may hold; null and undefined are empty. */
export type CsvCell = string | number | null | undefined;

/** What spreadsheets skip before they look for a formula: blanks, line ends and invisible characters. */
const unseen = /^[\s\p{Cc}\p{Cf}]+/u;

/**
 * True for a text a spreadsheet could take for a formula: one that begins with a line end or a tab, or
 * whose first visible character is a formula sign, also in another width (East Asian editions run
 * `＝1+1`). Numbers with a sign stay numbers.
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

/** One line with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}
