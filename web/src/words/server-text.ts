/** The server's sentences in the language of the page. English is as it comes; the Chinese ones load when they are first needed. */
import { type Language, render } from "@plaza/contract/messages/render.ts";
import type { Message, Params } from "@plaza/contract/messages/shape.ts";

type Table = Readonly<Record<string, string>>;

interface Form {
  readonly form: RegExp;
  readonly text: string;
}

/** Sentences in sentences. */
const depthMax = 4;

let exact = new Map<string, string>();
let forms: readonly Form[] = [];
let words = new Map<string, string>();
let loading: Promise<void> | undefined;
let chinese: Language | undefined;

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Without the full stop at its end. */
function unstopped(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

/** How sentences are compared: the server begins some with a capital that it has elsewhere in the midst of one. */
function keyOf(text: string): string {
  const plain = unstopped(text);
  return plain.slice(0, 1).toLowerCase() + plain.slice(1);
}

const place = /\{([nd])\}/;

function formOf(sentence: string, text: string): Form {
  const pattern = unstopped(sentence)
    .split(place)
    .map((part, at) => (at % 2 === 0 ? escaped(part) : part === "d" ? "(\\d+)" : "(.*?)"))
    .join("")
    .replace(/^[a-z]/i, (first) => `[${first.toLowerCase()}${first.toUpperCase()}]`);
  return { form: new RegExp(`^${pattern}$`, "s"), text };
}

/** Takes a table of sentences and one of words; `server-sentences.ts` says how they are written. */
export function takeSentences(table: Table, wordTable: Table): void {
  const entries = Object.entries(table);
  exact = new Map(entries.map(([sentence, text]) => [keyOf(sentence), text]));
  // The one that says most is meant, where several fit.
  forms = entries
    .filter(([sentence]) => place.test(sentence))
    .sort(([left], [right]) => right.length - left.length)
    .map(([sentence, text]) => formOf(sentence, text));
  words = new Map(Object.entries(wordTable));
}

/** Loads the Chinese sentences, once. */
export function loadSentences(): Promise<void> {
  loading ??= Promise.all([
    import("./server-sentences.ts"),
    import("@plaza/contract/messages/zh/index.ts"),
  ]).then(
    ([part, { texts }]) => {
      takeSentences(part.sentences, part.serverWords);
      chinese = { texts, stop: "。", isSpaced: true };
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

const han = /\p{Script=Han}/u;

/** Set apart from the Chinese around it, as Latin letters are. */
function spaced(said: string, before: string | undefined, after: string | undefined): string {
  const start = han.test(before ?? "") && /^[\w"]/.test(said) ? " " : "";
  const end = han.test(after ?? "") && /[\w"]$/.test(said) ? " " : "";
  return start + said + end;
}

/** What varied in a sentence, put into its translation; undefined where a part is not what the translation is for. */
function filled(text: string, parts: readonly string[], depth: number): string | undefined {
  let at = 0;
  let isFit = true;
  const result = text.replace(
    /\{(?:([nws])(\d)?|(\d))\}/g,
    (given: string, kind = "n", w?: string, n?: string, start = 0) => {
      const number = w ?? n;
      const part = parts[number === undefined ? at++ : Number(number) - 1] ?? "";
      const word = kind === "w" ? words.get(part) : undefined;
      const said = word ?? (part.includes(" ") ? translated(part, depth + 1) : undefined);
      if (said === undefined && (kind === "w" || (kind === "s" && part.includes(" ")))) isFit = false;
      return spaced(said ?? part, text[start - 1], text[start + given.length]);
    },
  );
  return isFit ? result : undefined;
}

/** Whether or not it ends with a full stop. */
function inChinese(sentence: string, depth: number): string | undefined {
  const known = exact.get(keyOf(sentence));
  if (known !== undefined) return known;
  const [, path, rest] = /^([A-Za-z][\w.[\]]*): (.+)$/s.exec(sentence) ?? [];
  const behind = rest === undefined ? undefined : translated(rest, depth + 1);
  if (behind !== undefined) return `${path}：${behind}`;
  const plain = unstopped(sentence);
  for (const { form, text } of forms) {
    const found = form.exec(plain);
    const said = found === null ? undefined : filled(text, found.slice(1), depth);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** undefined: nobody translated it. */
function translated(sentence: string, depth: number): string | undefined {
  if (depth > depthMax) return undefined;
  const text = inChinese(sentence, depth)?.trim().replace(/。$/, "");
  if (text === undefined) return undefined;
  return sentence.endsWith(".") && !/[？！]$/.test(text) ? `${text}。` : text;
}

/** A message as the wire has it: `params` may be anything, and the renderer takes only what it can say. */
export interface MessageRef {
  readonly id: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Only texts, numbers and messages of those are params. */
function isParams(value: unknown): value is Params {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.values(value).every(
    (one) =>
      typeof one === "string" ||
      typeof one === "number" ||
      (typeof one === "object" &&
        one !== null &&
        typeof (one as Partial<Message>).id === "string" &&
        isParams((one as Partial<Message>).params)),
  );
}

function rendered({ id, params }: MessageRef): string | undefined {
  if (chinese === undefined || !isParams(params)) return undefined;
  return render(chinese, { id, params });
}

/** What the server said, in that language: by its id where there is one; what is not known stays as it is. */
export function serverText(text: string, language: string, message?: MessageRef | null): string {
  if (language !== "zh") return text;
  const said = message === undefined || message === null ? undefined : rendered(message);
  return said ?? translated(text, 0) ?? text;
}
