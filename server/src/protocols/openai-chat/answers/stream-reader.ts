/**
 * Reads a stream of OpenAI's chat completions: chunks with content, finish reasons, usage, errors in the
 * stream, and the terminal marker. Does not know what the events are used for.
 */
import type { StreamEvent, StreamReader } from "../../wire-protocol.ts";
import { OutputCount } from "./output-count.ts";

/** Keys that mark a chunk as worth reading. */
export const streamMarks = ["usage", "finish_reason", "error"] as const;
const flagUsage = 1;

const openBrace = 0x7b;

/** The parts of a parsed chunk that are read. Everything is untrusted. */
interface Chunk {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly object?: unknown;
  readonly x_groq?: { readonly usage?: unknown } | null;
}

interface Choice {
  readonly finish_reason?: unknown;
  readonly delta?: Readonly<Record<string, unknown>> | null;
}

const choicesOf = (chunk: Chunk): readonly Choice[] =>
  Array.isArray(chunk.choices)
    ? chunk.choices.filter((choice) => typeof choice === "object" && choice !== null)
    : [];

/** Some upstreams write an empty string instead of null. */
const isFinished = ({ finish_reason: reason }: Choice): boolean =>
  typeof reason === "string" && reason !== "";

/** A role alone, or empty values, are not content. */
const hasContent = (choices: readonly Choice[]): boolean =>
  choices.some(
    (choice) =>
      isFinished(choice) ||
      Object.entries(choice.delta ?? {}).some(
        ([key, value]) =>
          key !== "role" && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
      ),
  );

/** Most ids of one answer: each choice may be spoken. */
const keptMax = 16;

/**
 * The id of the audio in a choice. It comes with the first piece of the audio, which is the first content of
 * an answer that is spoken.
 */
function audioIdIn({ delta }: Choice): string | undefined {
  const audio = delta?.["audio"];
  const id = typeof audio === "object" && audio !== null ? (audio as { id?: unknown }).id : undefined;
  return typeof id === "string" ? id : undefined;
}

function parseChunk(text: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isError(chunk: Chunk): boolean {
  const { error } = chunk;
  return (error !== undefined && error !== null && error !== "") || chunk.object === "error";
}

const without = { usage: undefined, hasContent: false, isUsageOnly: false, parsed: undefined } as const;
const end: StreamEvent = { kind: "end", ...without };
const unsound: StreamEvent = { kind: "unsound", ...without };
const failed: StreamEvent = { kind: "error", ...without };

/** Extends the counter instead of holding one, because each further object touched per event costs time. */
export class ChatStreamReader extends OutputCount implements StreamReader {
  #hasFinish = false;
  keptIds: readonly string[] | undefined;

  isPlain(flags: number, firstByte: number | undefined): boolean {
    return flags === 0 && firstByte === openBrace;
  }

  read(text: string, flags: number, name: string | undefined): StreamEvent {
    if (text === "[DONE]") return this.#hasFinish ? end : unsound;
    const chunk = parseChunk(text);
    if (chunk === undefined || name === "error" || isError(chunk)) return failed;
    const choices = choicesOf(chunk);
    if (choices.some(isFinished)) this.#hasFinish = true;
    for (const choice of choices) this.#keep(audioIdIn(choice));
    return {
      kind: "part",
      usage: (flags & flagUsage) === 0 ? undefined : (chunk.usage ?? chunk.x_groq?.usage),
      hasContent: hasContent(choices),
      isUsageOnly: choices.length === 0 && typeof chunk.usage === "object" && chunk.usage !== null,
      parsed: chunk,
    };
  }

  #keep(id: string | undefined): void {
    if (id === undefined) return;
    const known = this.keptIds ?? [];
    if (known.length < keptMax && !known.includes(id)) this.keptIds = [...known, id];
  }

  count({ parsed }: StreamEvent, bytes?: Buffer): void {
    this.countParsed(parsed);
    if (bytes !== undefined) this.remember(parsed, bytes, 0, bytes.length);
  }
}
