/**
 * What the server says, in the language of the page. English is as it comes; the texts of another language
 * come with it. A message is known by its id: one of another version, which has no text here, stays as the
 * server said it.
 */
import { type Language, render } from "@plaza/contract/messages/render.ts";
import type { Message, Params } from "@plaza/contract/messages/shape.ts";

/** By the language's id. */
const known = new Map<string, Language>();

/** Takes the server's texts of a language, by id. */
export function takeServerTexts(language: string, given: Language): void {
  known.set(language, given);
}

/** A message as the wire has it: `params` may be anything, and only what can be said is taken. */
export interface MessageRef {
  readonly id: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isMessage = (value: unknown): value is Message =>
  isRecord(value) && typeof value["id"] === "string" && isParams(value["params"]);

/** Only texts, numbers and messages are params. */
function isParams(value: unknown): value is Params | undefined {
  if (!isRecord(value)) return value === undefined;
  return Object.values(value).every((one) => ["string", "number"].includes(typeof one) || isMessage(one));
}

/** The server's text in that language. `message`: the id and params sent with it; null if there were none. */
export function serverText(text: string, language: string, message: MessageRef | null): string {
  const texts = known.get(language);
  if (texts === undefined || !isMessage(message)) return text;
  return render(texts, message) ?? text;
}
