/**
 * Colours for short code samples: strings, comments, numbers and a few words. Knows no
 * grammar; what it misses stays plain.
 */

interface Piece {
  readonly text: string;
  readonly className: string | undefined;
}

const words: Readonly<Record<string, string>> = {
  bash: "curl|export|echo|npm|pip|install|npx",
  python: "import|from|for|in|if|else|try|except|as|def|return|with|print|None|True|False|await|async|not",
  typescript:
    "import|from|for|const|let|of|if|else|try|catch|await|async|new|return|null|true|false|function|throw|instanceof",
  json: "true|false|null",
};

const comments: Readonly<Record<string, string>> = {
  bash: "(?:^|(?<=\\s))#[^\\n]*",
  python: "#[^\\n]*",
  typescript: "//[^\\n]*",
  json: "(?!)",
};

/** Longest text that is coloured; longer ones stay plain. */
const colouredMax = 20_000;

/** The pieces of a code sample with the class of each. */
export function colour(code: string, language: string): readonly Piece[] {
  const known = words[language];
  if (known === undefined || code.length > colouredMax) return [{ text: code, className: undefined }];
  const form = new RegExp(
    `(?<comment>${comments[language]})|(?<string>"(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\\\\\n]*')|(?<word>\\b(?:${known})\\b)|(?<number>\\b\\d+(?:\\.\\d+)?\\b)`,
    "gm",
  );
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of code.matchAll(form)) {
    if (match.index > from) pieces.push({ text: code.slice(from, match.index), className: undefined });
    const groups = match.groups ?? {};
    const className =
      groups["comment"] !== undefined
        ? "text-faint"
        : groups["string"] !== undefined
          ? "text-good"
          : groups["word"] !== undefined
            ? "text-accent"
            : "text-warn";
    pieces.push({ text: match[0], className });
    from = match.index + match[0].length;
  }
  if (from < code.length) pieces.push({ text: code.slice(from), className: undefined });
  return pieces;
}
