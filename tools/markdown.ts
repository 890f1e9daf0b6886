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

/** Columns at which the prose of pages wraps. */
const columnsMax = 100;
/** Starts a block of its own: tables, comments, headings, items, code. */
const blockStart = /^\s*(?:[|<#]|[-*+] |\d+[.)] |> |```)/;
/** Spaces inside code and inside links, where a line should not end. */
const unbroken = /(`+)(?:(?!\1).)+\1|\[[^[\]]*\]\([^)]*\)/g;

function wrapBlock(block: readonly string[]): string[] {
  const [first = ""] = block;
  const indent = " ".repeat(/^\s*(?:[-*+] |\d+[.)] )?/.exec(first)?.[0].length ?? 0);
  const text = [first.slice(indent.length), ...block.slice(1).map((line) => line.trim())].join(" ");
  const words = text.replace(unbroken, (found) => found.replaceAll(" ", "\0")).split(" ");
  const lines: string[] = [];
  let line = first.slice(0, indent.length);
  for (const [at, word] of words.entries()) {
    if (at > 0 && line.length + 1 + word.length > columnsMax) {
      lines.push(line);
      line = indent + word;
    } else line += at > 0 ? ` ${word}` : word;
  }
  return [...lines, line].map((one) => one.replaceAll("\0", " "));
}

/** Wraps the paragraphs and list items that have a line beyond 100 columns; code and tables stay. */
export function wrapProse(page: string): string {
  const blocks: { readonly lines: string[]; readonly isProse: boolean }[] = [];
  let isCode = false;
  let isOpen = false;
  for (const line of page.split("\n")) {
    const isFence = /^\s*```/.test(line);
    const isProse = !isCode && !isFence && line.trim() !== "" && !/^\s*[|<#]/.test(line);
    if (isOpen && isProse && !blockStart.test(line)) blocks.at(-1)?.lines.push(line);
    else blocks.push({ lines: [line], isProse });
    if (isFence) isCode = !isCode;
    isOpen = isProse;
  }
  return blocks
    .flatMap(({ lines, isProse }) =>
      isProse && lines.some((line) => line.length > columnsMax) ? wrapBlock(lines) : lines,
    )
    .join("\n");
}
