/**
 * Which of OpenAI's models speak Responses, and which refuse a conversation in chat
 * (docs/wire/openai-responses.md section 7), by their names. Rows and a lookup.
 */
import type { FormatId } from "@plaza/contract/formats.ts";
import { decodeRequest } from "../../../protocols/openai-chat/decode-request.ts";

/**
 * When a model has to be asked in Responses: `always`; `tools`: with function tools, unless it is told not to
 * think; `tools and effort`: with tools and an effort that is said.
 */
type Need = "always" | "tools" | "tools and effort" | "never";

/** The first row that fits. */
const needs: readonly (readonly [model: RegExp, need: Need])[] = [
  [/-chat(?:-|$)/, "never"],
  [/-pro(?:-|$)|codex|deep-research|computer-use/, "always"],
  [/^gpt-5\.(?:[6-9]|\d\d)|^gpt-(?:[6-9]|\d\d)/, "tools"],
  [/^gpt-5\.[45]/, "tools and effort"],
];

const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase();

/** Names that were looked up, far more than any catalog has. */
const known = new Map<string, Need>();
const knownMax = 10_000;

function needOf(model: string): Need {
  let need = known.get(model);
  if (need === undefined) {
    const name = bareName(model);
    need = needs.find(([pattern]) => pattern.test(name))?.[1] ?? "never";
    if (known.size >= knownMax) known.clear();
    known.set(model, need);
  }
  return need;
}

/** True for OpenAI models that Responses serves. Models for speech or search are served by chat only. */
export const isInResponses = (model: string): boolean => {
  const name = bareName(model);
  return (
    /^(?:gpt-|o\d|chatgpt|codex|computer-use)/.test(name) &&
    !/audio|search-preview|instruct|realtime/.test(name)
  );
};

/** The tools of a chat request, by either of their names. */
const toolNames = [Buffer.from('"tools"'), Buffer.from('"functions"')];

function hasNeed(need: Need, body: Buffer): boolean {
  if (need === "always") return true;
  if (!toolNames.some((name) => body.includes(name))) return false;
  try {
    const { toolUse, reasoning } = decodeRequest(body);
    const isOff = reasoning.effort === "none" || reasoning.isOn === false;
    const isMet = need === "tools" || reasoning.effort !== undefined;
    return toolUse.tools.length > 0 && !isOff && isMet;
  } catch {
    // The encoder reports what is wrong with the request.
    return false;
  }
}

/** See `HttpProvider.formatNeeded`. Callers of other formats are translated in any case. */
export function formatNeeded(caller: FormatId, model: string, body: Buffer): FormatId | undefined {
  const need = needOf(model);
  if (need === "never") return undefined;
  return caller !== "openai-chat" || hasNeed(need, body) ? "openai-responses" : undefined;
}
