/**
 * Plans the demo's answer: a request → for each choice a list of pieces (one piece is one token) and a finish
 * reason. `wire.ts` serializes the pieces; `play.ts` decides when they are sent.
 */
import { recordOf } from "../../lib/record.ts";
import type { DemoRequest, Tool } from "./request.ts";
import { synthesise } from "./schema.ts";
import { toPieces } from "./tokens.ts";

/** One piece of an answer. `call` numbers the tool calls of a choice from 0. */
export type Piece =
  | { readonly kind: "reasoning" | "content" | "refusal" | "transcript"; readonly text: string }
  | { readonly kind: "call"; readonly call: number; readonly tool: Tool }
  | { readonly kind: "arguments"; readonly call: number; readonly tool: Tool; readonly text: string };

export type Finish = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

export interface ChoicePlan {
  readonly pieces: readonly Piece[];
  readonly finish: Finish;
}

/** Most pieces of one choice, as in the demo's catalog entry. A longer answer ends with `length`. */
const outputMax = 4_096;
/** Most characters of the caller's text that a plain answer echoes. */
const echoMax = 4_096;
const resultMax = 1_000;
/** Pieces of an answer cut by `/filter`. */
const filteredPieces = 3;

const whoAmI = "This is Plaza's built-in demo, not a language model.";

const vocabulary = (
  "the quick brown fox jumps over a lazy dog while seven calm wizards count small coins beside an open market gate and " +
  "nobody in the plaza hurries because every word here was chosen before you asked"
).split(" ");

const thoughts = "Reading the last message. It needs no thought, so this is only the shape of one. ";

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** "I was given 1 image and 2 files." */
function attachmentNote({ attachments }: DemoRequest): string {
  const given = [
    attachments.image > 0 ? counted(attachments.image, "image", "images") : "",
    attachments.audio > 0 ? counted(attachments.audio, "audio clip", "audio clips") : "",
    attachments.file > 0 ? counted(attachments.file, "file", "files") : "",
  ].filter((part) => part !== "");
  return given.length === 0 ? "" : ` I was given ${given.join(" and ")}.`;
}

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => vocabulary[index % vocabulary.length]).join(" ");
}

/** The plain answer: an introduction, a summary of the input, and the caller's text or the tools' results. */
function plainAnswer(request: DemoRequest): string {
  const { directives, toolResults } = request;
  if (directives.mistakes.length > 0) {
    return `${whoAmI} I did not understand a directive: ${directives.mistakes.join("; ")}. They are listed in docs/start/demo.md.`;
  }
  const notes = attachmentNote(request);
  if (toolResults.length > 0) {
    const results = toolResults.map(({ name, text }) => `${name} answered: ${cut(text, resultMax)}`);
    return `${whoAmI}${notes} ${results.join("; ")}`;
  }
  return directives.text === ""
    ? `${whoAmI}${notes}`
    : `${whoAmI}${notes} You said: ${cut(directives.text, echoMax)}`;
}

/**
 * The content in the requested format. `/echo` overrides every format; mistakes in directives are reported
 * first.
 */
function contentText(request: DemoRequest): string {
  const { directives, format } = request;
  if (directives.mistakes.length > 0 && format.kind === "text") return plainAnswer(request);
  if (directives.echo !== undefined) return directives.echo;
  if (format.kind === "json_schema") return JSON.stringify(synthesise(format.schema, format.name));
  if (directives.words !== undefined) {
    const text = words(directives.words);
    return format.kind === "json_object" ? JSON.stringify({ words: text }) : text;
  }
  const text = plainAnswer(request);
  return format.kind === "json_object" ? JSON.stringify({ demo: true, answer: text }) : text;
}

/** True when the text contains the name as a whole word. */
function mentions(text: string, name: string): boolean {
  if (name === "") return false;
  const isWordPart = (unit: string | undefined): boolean => unit !== undefined && /[\w-]/.test(unit);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + name.length])) return true;
  }
  return false;
}

/** The tools this answer calls; empty for a plain answer. */
function chooseTools({ toolUse, directives, toolResults, messages }: DemoRequest): readonly Tool[] {
  const { tools, mode, isParallel } = toolUse;
  if (mode === "none" || tools.length === 0) return [];
  const most = isParallel ? tools.length : 1;
  const requested = directives.tools;
  const isUserLast = toolResults.length === 0 && messages.at(-1)?.["role"] === "user";
  if (mode === "required" || isUserLast) {
    if (typeof requested === "number") return tools.slice(0, Math.min(requested, most));
    const named = tools.filter(({ name }) => name === requested);
    if (named.length > 0) return named.slice(0, 1);
    if (requested !== undefined) return tools.slice(0, 1);
  }
  const text = directives.text.toLowerCase();
  const mentioned = isUserLast
    ? tools.filter(({ name }) => mentions(text, name.toLowerCase())).slice(0, most)
    : [];
  return mentioned.length === 0 && mode === "required" ? tools.slice(0, 1) : mentioned;
}

function callPieces(request: DemoRequest, tools: readonly Tool[]): Piece[] {
  return tools.flatMap((tool, call): Piece[] => {
    const text =
      tool.type === "custom"
        ? cut(request.directives.text || "demo input", 200)
        : JSON.stringify(synthesise({ type: "object", ...recordOf(tool.parameters) }, tool.name) ?? {});
    const parts = toPieces(text).map((part): Piece => ({ kind: "arguments", call, tool, text: part }));
    return [{ kind: "call", call, tool }, ...parts];
  });
}

/** The text up to the first stop sequence. */
function beforeStop(text: string, stop: readonly string[]): string {
  const ends = stop.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

function textPieces(request: DemoRequest): Piece[] {
  const kind = request.directives.refuse === true ? "refusal" : request.isAudio ? "transcript" : "content";
  const text = kind === "refusal" ? "I was asked by /refuse to decline." : contentText(request);
  return toPieces(beforeStop(text, request.stop)).map((part) => ({ kind, text: part }));
}

/**
 * The plan of every choice. All choices are equal: nothing is random, and `seed` and `temperature` have no
 * effect.
 */
export function planAnswer(request: DemoRequest): ChoicePlan[] {
  const { directives, toolUse } = request;
  const most = Math.min(request.tokensMax, outputMax);
  const tools = directives.refuse === true ? [] : chooseTools(request);
  const reasoning = toPieces(thoughts.repeat(request.effort).trimEnd()).map(
    (text): Piece => ({ kind: "reasoning", text }),
  );
  let pieces = [...reasoning, ...(tools.length > 0 ? callPieces(request, tools) : textPieces(request))];
  let finish: Finish = tools.length === 0 ? "stop" : toolUse.isLegacy ? "function_call" : "tool_calls";
  if (directives.filter === true) {
    pieces = pieces.slice(0, reasoning.length + filteredPieces);
    finish = "content_filter";
  }
  if (pieces.length > most) {
    pieces = pieces.slice(0, most);
    finish = "length";
  }
  return Array.from({ length: request.choices }, () => ({ pieces, finish }));
}
