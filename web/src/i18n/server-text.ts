/**
 * What the server says, in the language of the page. English is as it comes; the Chinese texts load
 * when they are first needed. A message is known by its id: one of another version, which has no
 * text here, stays as the server said it.
 */
import { type Language, render } from "@plaza/contract/messages/render.ts";
import type { Message, Params } from "@plaza/contract/messages/shape.ts";

let chinese: Language | undefined;
let loading: Promise<void> | undefined;

/** Takes the Chinese texts, by id. */
export function takeTexts(texts: Language["texts"]): void {
  chinese = { texts, stop: "。", isSpaced: true };
}

/** Loads the Chinese texts, once. */
export function loadTexts(): Promise<void> {
  loading ??= import("@plaza/contract/messages/zh/index.ts").then(
    ({ texts }) => takeTexts(texts),
    () => {
      loading = undefined;
    },
  );
  return loading;
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
  if (language !== "zh" || chinese === undefined || !isMessage(message)) return text;
  return render(chinese, message) ?? text;
}
