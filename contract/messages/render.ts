/** Renders a message in one language. The language's texts are passed in. */
import type { Message, Param } from "./shape.ts";
import { type Parts, parseTemplate, type Slot } from "./template.ts";

/** A language: its texts by id, and its punctuation. */
export interface Language {
  readonly texts: Readonly<Record<string, string>>;
  /** Ends a sentence. */
  readonly stop: string;
  /** True when Latin letters are separated from the surrounding script by a space. */
  readonly isSpaced: boolean;
}

/** Limit for nested messages; those received over the network may be nested arbitrarily. */
const depthMax = 8;
/** Parsed templates by text; there are only as many as texts. */
const parsed = new Map<string, Parts>();

function partsOf(template: string): Parts {
  let parts = parsed.get(template);
  if (parts === undefined) {
    parts = parseTemplate(template);
    parsed.set(template, parts);
  }
  return parts;
}

/** Chinese and Japanese letters. */
const wide = /[\p{Script=Han}\u3040-\u30ff]/u;

function spaced(said: string, before: string, after: string): string {
  const start = wide.test(before.slice(-1)) && /^[\w"]/.test(said) ? " " : "";
  const end = wide.test(after.slice(0, 1)) && /[\w"]$/.test(said) ? " " : "";
  return start + said + end;
}

/** Makes a sentence: a capital first letter, unless it is a URL, and a stop at the end. */
function asSentence(text: string, stop: string): string {
  const begun = /^\w+:\/\//.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?。！？]$/.test(begun) ? begun : begun + stop;
}

function slotText(language: Language, slot: Slot, param: Param, depth: number): string | undefined {
  const text = typeof param === "object" ? renderAt(language, param, depth + 1) : String(param);
  if (text === undefined) return undefined;
  if (slot.cases !== undefined) return slot.cases.get(text) ?? slot.cases.get("*") ?? text;
  return slot.isSentence === true ? asSentence(text, language.stop) : text;
}

function renderAt(language: Language, { id, params }: Message, depth: number): string | undefined {
  const template = Object.hasOwn(language.texts, id) ? language.texts[id] : undefined;
  if (template === undefined || depth > depthMax) return undefined;
  const parts = partsOf(template);
  let text = "";
  for (const [at, part] of parts.entries()) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const param = params !== undefined && Object.hasOwn(params, part.name) ? params[part.name] : undefined;
    const said = param === undefined ? undefined : slotText(language, part, param, depth);
    if (said === undefined) return undefined;
    text += language.isSpaced ? spaced(said, text, String(parts[at + 1] ?? "")) : said;
  }
  return text;
}

/** The text of a message; undefined when the language lacks it or a param is missing. */
export function render(language: Language, message: Message): string | undefined {
  return renderAt(language, message, 0);
}
