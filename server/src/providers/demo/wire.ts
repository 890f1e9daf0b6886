/**
 * Serializes plans to the JSON of docs/wire/openai-chat.md sections 4 and 5: one whole answer or a sequence
 * of chunks. Does not decide the content or the timing.
 */
import type { ChoicePlan, Piece } from "./plan.ts";
import type { DemoRequest } from "./request.ts";
import { countPrompt } from "./tokens.ts";

/** Values shared by all parts of one answer. */
export interface Identity {
  /** A short text derived from the request, used in ids. */
  readonly seed: string;
  readonly model: string;
  readonly createdSeconds: number;
}

/** A valid WAV file of eight silent samples. */
const silence = "UklGRjQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YRAAAAAAAAAAAAAAAAAAAAAAAAAA";
const audioLifeSeconds = 3_600;

const callId = (identity: Identity, choice: number, call: number): string =>
  `call_${identity.seed.slice(0, 16)}${choice}${call}`;

const joined = (pieces: readonly Piece[], kind: Piece["kind"]): string =>
  pieces.map((piece) => (piece.kind === kind && "text" in piece ? piece.text : "")).join("");

/** A made-up probability for one token: well-formed and deterministic. */
function logprob(text: string, alternatives: number) {
  const shown = (token: string, rank: number) => ({
    token,
    logprob: -0.01 - rank,
    bytes: [...Buffer.from(token)],
  });
  const others = Array.from({ length: alternatives }, (_, rank) =>
    shown(rank === 0 ? text : `${text}~${rank}`, rank),
  );
  return { ...shown(text, 0), top_logprobs: others };
}

function logprobsOf(pieces: readonly Piece[], alternatives: number | undefined) {
  if (alternatives === undefined) return null;
  const list = (kind: "content" | "refusal") => {
    const found = pieces.flatMap((piece) => (piece.kind === kind ? [logprob(piece.text, alternatives)] : []));
    return found.length === 0 ? null : found;
  };
  return { content: list("content"), refusal: list("refusal") };
}

/** The complete tool calls of one choice, by call number. */
function callsOf(pieces: readonly Piece[], identity: Identity, choice: number) {
  const started = pieces.filter((piece) => piece.kind === "call");
  return started.map(({ call, tool }) => {
    const text = joined(
      pieces.filter((piece) => piece.kind === "arguments" && piece.call === call),
      "arguments",
    );
    const id = callId(identity, choice, call);
    return tool.type === "custom"
      ? { id, type: "custom", custom: { name: tool.name, input: text } }
      : { id, type: "function", function: { name: tool.name, arguments: text } };
  });
}

function messageOf(request: DemoRequest, plan: ChoicePlan, identity: Identity, choice: number) {
  const { pieces } = plan;
  const has = (kind: Piece["kind"]): boolean => pieces.some((piece) => piece.kind === kind);
  const calls = callsOf(pieces, identity, choice);
  const isText = calls.length === 0 && !has("refusal") && !request.isAudio;
  const legacy = request.toolUse.isLegacy ? calls[0]?.function : undefined;
  return {
    role: "assistant",
    content: isText ? joined(pieces, "content") : null,
    refusal: has("refusal") ? joined(pieces, "refusal") : null,
    annotations: [],
    ...(has("reasoning") ? { reasoning_content: joined(pieces, "reasoning") } : {}),
    ...(legacy !== undefined ? { function_call: legacy } : calls.length > 0 ? { tool_calls: calls } : {}),
    ...(has("transcript") ? { audio: audioOf(identity, choice, joined(pieces, "transcript")) } : {}),
  };
}

const audioId = (identity: Identity, choice: number): string =>
  `audio_${identity.seed.slice(0, 16)}${choice}`;

function audioOf(identity: Identity, choice: number, transcript: string) {
  const expires = identity.createdSeconds + audioLifeSeconds;
  return { id: audioId(identity, choice), data: silence, expires_at: expires, transcript };
}

/** The usage object; undefined with `/usage none`. */
function usageOf(request: DemoRequest, plans: readonly ChoicePlan[]): object | undefined {
  const pieces = plans.flatMap((plan) => plan.pieces);
  const reasoning = pieces.filter((piece) => piece.kind === "reasoning").length;
  const kind = request.directives.usage;
  if (kind === "none") return undefined;
  if (kind === "bad") return { prompt_tokens: -5, completion_tokens: 1.5, total_tokens: "many" };
  const prompt = kind === "zero" ? 0 : countPrompt(request.messages, request.declaredTools);
  const completion = kind === "zero" ? 0 : pieces.length;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: kind === "zero" ? 0 : reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The body of a whole answer. */
export function wholeAnswer(request: DemoRequest, plans: readonly ChoicePlan[], identity: Identity): Buffer {
  const usage = usageOf(request, plans);
  const body = {
    id: `chatcmpl-demo-${identity.seed}`,
    object: "chat.completion",
    created: identity.createdSeconds,
    model: identity.model,
    choices: plans.map((plan, index) => ({
      index,
      message: messageOf(request, plan, identity, index),
      logprobs: logprobsOf(plan.pieces, request.logprobs),
      finish_reason: plan.finish,
    })),
    ...(usage === undefined ? {} : { usage }),
    service_tier: "default",
    system_fingerprint: "fp_plaza_demo",
  };
  return Buffer.from(JSON.stringify(body));
}

/** The delta of one piece. Only a call's first fragment has its name and id. */
function deltaOf(
  request: DemoRequest,
  piece: Piece,
  identity: Identity,
  choice: number,
  isFirst: boolean,
): object {
  switch (piece.kind) {
    case "reasoning":
      return { reasoning_content: piece.text };
    case "content":
      return { content: piece.text };
    case "refusal":
      return { refusal: piece.text };
    case "transcript":
      return { audio: { ...(isFirst ? { id: audioId(identity, choice) } : {}), transcript: piece.text } };
    case "call": {
      const { tool, call: index } = piece;
      if (request.toolUse.isLegacy) return { function_call: { name: tool.name, arguments: "" } };
      const id = callId(identity, choice, index);
      const inner =
        tool.type === "custom"
          ? { custom: { name: tool.name, input: "" } }
          : { function: { name: tool.name, arguments: "" } };
      return { tool_calls: [{ index, id, type: tool.type, ...inner }] };
    }
    case "arguments": {
      const { tool, call: index, text } = piece;
      if (request.toolUse.isLegacy) return { function_call: { arguments: text } };
      const inner = tool.type === "custom" ? { custom: { input: text } } : { function: { arguments: text } };
      return { tool_calls: [{ index, ...inner }] };
    }
  }
}

/** The parts of a stream; each buffer holds one event. */
export interface StreamParts {
  /** One role chunk per choice. */
  readonly roles: readonly Buffer[];
  /** Content chunks in rounds: the first of every choice, then the second … */
  readonly rounds: readonly (readonly Buffer[])[];
  /** The events after the content: finish chunks, usage, the terminal marker. */
  readonly closing: readonly Buffer[];
}

const event = (text: string): Buffer => Buffer.from(`data: ${text}\n\n`);

/** An error in the middle of a stream. */
export const errorEvent = (body: object): Buffer => event(JSON.stringify(body));

/**
 * The parts of a stream. The usage chunk is always present, because the gateway requests it from every
 * upstream and removes it for callers who did not ask. Earlier chunks have `usage: null` only if the caller
 * asked.
 */
export function streamAnswer(
  request: DemoRequest,
  plans: readonly ChoicePlan[],
  identity: Identity,
): StreamParts {
  const head = {
    id: `chatcmpl-demo-${identity.seed}`,
    object: "chat.completion.chunk",
    created: identity.createdSeconds,
    model: identity.model,
    service_tier: "default",
    system_fingerprint: "fp_plaza_demo",
  };
  const noUsage = request.asksUsage && request.directives.usage !== "none" ? { usage: null } : {};
  const chunk = (index: number, delta: object, finish: string | null, logprobs: object | null): Buffer => {
    const choices = [{ index, delta, logprobs, finish_reason: finish }];
    return event(JSON.stringify({ ...head, choices, ...noUsage }));
  };
  const firstOf = plans.map(
    ({ pieces }) => pieces.find(({ kind }) => kind !== "reasoning")?.kind ?? "content",
  );
  const roles = plans.map((_, index) => {
    const content = firstOf[index] === "content" || firstOf[index] === "refusal" ? "" : null;
    return chunk(index, { role: "assistant", content, refusal: null }, null, null);
  });
  const length = Math.max(0, ...plans.map(({ pieces }) => pieces.length));
  const rounds = Array.from({ length }, (_, at) =>
    plans.flatMap(({ pieces }, index) => {
      const piece = pieces[at];
      if (piece === undefined) return [];
      const isFirst = pieces[at - 1]?.kind !== piece.kind;
      const logprobs = "text" in piece ? logprobsOf([piece], request.logprobs) : null;
      return [chunk(index, deltaOf(request, piece, identity, index, isFirst), null, logprobs)];
    }),
  );
  const closing = plans.flatMap((plan, index) => {
    const audio = audioOf(identity, index, "");
    const hasAudio = plan.pieces.some(({ kind }) => kind === "transcript");
    const last = { audio: { data: audio.data, expires_at: audio.expires_at } };
    return [...(hasAudio ? [chunk(index, last, null, null)] : []), chunk(index, {}, plan.finish, null)];
  });
  const usage = usageOf(request, plans);
  if (usage !== undefined) closing.push(event(JSON.stringify({ ...head, choices: [], usage })));
  return { roles, rounds, closing: [...closing, event("[DONE]")] };
}
