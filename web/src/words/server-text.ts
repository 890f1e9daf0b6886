/** The server's sentences in the language of the page. English is as it comes; the Chinese ones load when they are first needed. */

interface Form {
  readonly form: RegExp;
  readonly text: string;
}

let exact: Readonly<Record<string, string>> = {};
let forms: readonly Form[] = [];
let loading: Promise<void> | undefined;

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Takes a table of sentences; `{n}` stands for anything. */
export function takeSentences(table: Readonly<Record<string, string>>): void {
  exact = table;
  forms = Object.entries(table)
    .filter(([sentence]) => sentence.includes("{n}"))
    .map(([sentence, text]) => ({
      form: new RegExp(`^${sentence.split("{n}").map(escaped).join("(.+?)")}$`, "s"),
      text,
    }));
}

/** Loads the Chinese sentences, once. */
export function loadSentences(): Promise<void> {
  loading ??= import("./server-sentences.ts").then(
    (part) => takeSentences(part.sentences),
    () => {
      loading = undefined;
    },
  );
  return loading;
}

/** The sentence in that language; what is not known stays as it is. */
export function serverText(sentence: string, language: string): string {
  if (language !== "zh") return sentence;
  if (Object.hasOwn(exact, sentence)) return exact[sentence] ?? sentence;
  for (const { form, text } of forms) {
    const found = form.exec(sentence);
    if (found === null) continue;
    let at = 0;
    return text.replace(/\{n\}/g, () => found[++at] ?? "");
  }
  return sentence;
}
