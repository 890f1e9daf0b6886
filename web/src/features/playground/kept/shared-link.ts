/**
 * A prompt as a link: model, system prompt, parameters and message in the part of the address after "#",
 * which is never sent to a server. No key, no answer and no attachment is in it. Knows no React.
 */
import { type ChatParameters, unsetParameters } from "../chat/request.ts";

/** What a link carries. */
export interface SharedPrompt {
  readonly model: string;
  readonly system: string;
  readonly text: string;
  readonly parameters: ChatParameters;
}

const name = "#prompt=";
/** Longer links do not survive chats and mails. */
const lettersMax = 16_000;

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): string {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(letters, (letter) => letter.charCodeAt(0)),
  );
}

/** The part of the address; undefined when it would be too long. */
export function sharedFragment({ model, system, text, parameters }: SharedPrompt): string | undefined {
  const set = Object.fromEntries(
    Object.entries(parameters).filter(
      ([key, value]) => value !== unsetParameters[key as keyof ChatParameters],
    ),
  );
  const fragment = name + toBase64Url(JSON.stringify({ v: 1, model, system, text, parameters: set }));
  return fragment.length > lettersMax ? undefined : fragment;
}

const isText = (value: unknown): value is string => typeof value === "string";

/** A foreign link may hold anything: only parameters of the right type are taken. */
function parametersOf(given: unknown): ChatParameters {
  const fields = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const known = Object.entries(unsetParameters).map(([key, unset]) => {
    const value = fields[key];
    const isRight =
      unset === null ? typeof value === "number" && Number.isFinite(value) : typeof value === typeof unset;
    return [key, isRight ? value : unset];
  });
  return Object.fromEntries(known) as unknown as ChatParameters;
}

/** Reads a link's part; undefined when it is none. */
export function readShared(fragment: string): SharedPrompt | undefined {
  if (!fragment.startsWith(name) || fragment.length > lettersMax) return undefined;
  try {
    const read = JSON.parse(fromBase64Url(fragment.slice(name.length))) as Record<string, unknown>;
    const { v, model, system, text } = read;
    if (v !== 1 || !isText(model) || !isText(system) || !isText(text)) return undefined;
    return { model, system, text, parameters: parametersOf(read["parameters"]) };
  } catch {
    return undefined;
  }
}
