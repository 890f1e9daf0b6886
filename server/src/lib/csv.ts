/** Writes tables as CSV (RFC 4180) that spreadsheets open without running anything. Knows no project words. */

/** What a cell may hold; null and undefined are empty. */
export type CsvCell = string | number | null | undefined;

/** A text a spreadsheet would take for a formula; numbers with a sign are numbers. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text) && !/^[+-]\d+(?:\.\d+)?$/.test(text);

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
