/**
 * The endpoints conversations are asked of, for rigs: how a call is made in each format, and what a caller
 * may conclude from its answer. Written from docs/wire/; shares no code with the product.
 */
import type { Plan } from "../upstream/plan.ts";
import type { Seen } from "./http-client.ts";
import { seededRandom } from "./random.ts";
import { eventJson, isDone, splitEvents } from "./sse.ts";

export const endpointNames = ["chat", "responses", "messages", "gemini"] as const;
export type EndpointName = (typeof endpointNames)[number];

/** What is asked for, in any format. */
export interface RigCall {
  readonly model: string;
  readonly isStream: boolean;
  readonly maxTokens: number;
  /** What the counting upstream is to do, and the call's id. */
  readonly plan: Partial<Plan>;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where a call is made, and what the upstream behind its model speaks. */
export interface Route {
  readonly endpoint: EndpointName;
  /** The endpoint's own format: the bytes are passed. Another: they are translated. */
  readonly spoken: EndpointName;
}

/**
 * The route of the call with this id, the same for the same id and seed: each endpoint as often as the
 * others, half of its calls at an upstream of its own format, the rest at the three others.
 */
export function routeFor(id: string, seed: number): Route {
  const random = seededRandom(seed).fork(id);
  const endpoint = random.pick(endpointNames);
  const others = endpointNames.filter((name) => name !== endpoint);
  return { endpoint, spoken: random.chance(0.5) ? endpoint : random.pick(others) };
}

/** The path of a call. */
export function pathOf(
  endpoint: EndpointName,
  { model, isStream }: Pick<RigCall, "model" | "isStream">,
): string {
  if (endpoint === "chat") return "/v1/chat/completions";
  if (endpoint !== "gemini") return `/v1/${endpoint}`;
  return `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

/** A plan that survives translation: in the words of the user, where the upstream finds it (`plan.ts`). */
const told = ({ text, plan }: RigCall): string =>
  `${text} x-rig:${Buffer.from(JSON.stringify(plan)).toString("base64url")};`;

const bodies: Readonly<Record<EndpointName, (call: RigCall) => object>> = {
  chat: (call) => ({
    model: call.model,
    messages: [{ role: "user", content: told(call) }],
    stream: call.isStream,
    ...(call.isStream ? { stream_options: { include_usage: true } } : {}),
    max_tokens: call.maxTokens,
  }),
  responses: (call) => ({
    model: call.model,
    input: told(call),
    stream: call.isStream,
    store: false,
    max_output_tokens: call.maxTokens,
  }),
  messages: (call) => ({
    model: call.model,
    messages: [{ role: "user", content: told(call) }],
    stream: call.isStream,
    max_tokens: call.maxTokens,
  }),
  gemini: (call) => ({
    contents: [{ role: "user", parts: [{ text: told(call) }] }],
    generationConfig: { maxOutputTokens: call.maxTokens },
  }),
};

/** The body of a call, with spaces in the user's words up to so many bytes, where it is shorter. */
export function bodyFor(endpoint: EndpointName, call: RigCall, bytes = 0): string {
  const body = JSON.stringify(bodies[endpoint](call));
  const missing = bytes - Buffer.byteLength(body);
  if (missing <= 0) return body;
  return JSON.stringify(bodies[endpoint]({ ...call, text: call.text + " ".repeat(missing) }));
}

/** Tokens as an answer reports them, and whether it is one that ended as its format says. */
export interface SeenAnswer {
  readonly isComplete: boolean;
  /** In chat's words; undefined: it reports none. */
  readonly usage: unknown;
}

const nothing: SeenAnswer = { isComplete: false, usage: undefined };
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const sum = (...counts: readonly unknown[]): number =>
  counts.reduce<number>((all, one) => all + Number(one ?? 0), 0);

/** A report of usage in chat's words. */
const inChat = (input: number, cached: unknown, output: number): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: { cached_tokens: Number(cached ?? 0) },
});

function ofResponses(value: unknown): unknown {
  const { input_tokens: input, input_tokens_details: details, output_tokens: output } = fieldsOf(value);
  if (output === undefined) return undefined;
  return inChat(Number(input), fieldsOf(details)["cached_tokens"], Number(output));
}

/** Where nothing is known, Plaza and the counting upstream write no details of the output. */
function ofMessages(value: unknown): unknown {
  const usage = fieldsOf(value);
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  if (usage["output_tokens_details"] === undefined) return undefined;
  return inChat(sum(usage["input_tokens"], read, written), read, Number(usage["output_tokens"]));
}

function ofGemini(value: unknown): unknown {
  const usage = fieldsOf(value);
  if (usage["promptTokenCount"] === undefined) return undefined;
  const output = sum(usage["candidatesTokenCount"], usage["thoughtsTokenCount"]);
  return inChat(Number(usage["promptTokenCount"]), usage["cachedContentTokenCount"], output);
}

const finishedIn = (object: Fields): boolean => {
  const { candidates } = object;
  return Array.isArray(candidates) && candidates.some((one) => fieldsOf(one)["finishReason"] !== undefined);
};

function ofWhole(body: Buffer): SeenAnswer {
  let whole: Fields;
  try {
    whole = fieldsOf(JSON.parse(body.toString("utf8")));
  } catch {
    return nothing;
  }
  if (whole["object"] === "response")
    return { isComplete: whole["status"] !== "in_progress", usage: ofResponses(whole["usage"]) };
  if (whole["type"] === "message") return { isComplete: true, usage: ofMessages(whole["usage"]) };
  if (whole["candidates"] !== undefined)
    return { isComplete: finishedIn(whole), usage: ofGemini(whole["usageMetadata"]) };
  return { isComplete: true, usage: whole["usage"] };
}

function ofStream(body: Buffer): SeenAnswer {
  const pieces = splitEvents(body);
  if (pieces.some(isDone)) {
    const last = pieces.findLast((piece) => fieldsOf(eventJson(piece))["usage"] != null);
    return { isComplete: true, usage: last && fieldsOf(eventJson(last))["usage"] };
  }
  const events = pieces.map((piece) => fieldsOf(eventJson(piece)));
  const last = events.findLast((event) => Object.keys(event).length > 0) ?? {};
  switch (last["type"]) {
    case "response.completed":
    case "response.incomplete":
      return { isComplete: true, usage: ofResponses(fieldsOf(last["response"])["usage"]) };
    case "message_stop": {
      // Anthropic tells the prompt's tokens at the beginning, and those of the answer at its end.
      const start = fieldsOf(events.find(({ type }) => type === "message_start")?.["message"])["usage"];
      const delta = events.findLast(({ type }) => type === "message_delta")?.["usage"];
      return { isComplete: true, usage: ofMessages({ ...fieldsOf(start), ...fieldsOf(delta) }) };
    }
    default:
      return { isComplete: finishedIn(last), usage: ofGemini(last["usageMetadata"]) };
  }
}

/** True when a stream says that it failed, in whatever format it was asked for. */
export function saysFailed(body: Buffer): boolean {
  return splitEvents(body).some((piece) => {
    const { type, error } = fieldsOf(eventJson(piece));
    return type === "error" || type === "response.failed" || (typeof error === "object" && error !== null);
  });
}

/** What the caller holds, in whatever format it asked. */
export function readAnswer({
  status,
  headers,
  body,
  isWhole,
}: Pick<Seen, "status" | "headers" | "body" | "isWhole">): SeenAnswer {
  if (status !== 200) return nothing;
  if (/^text\/event-stream/.test(headers["content-type"] ?? "")) return ofStream(body);
  return isWhole ? ofWhole(body) : nothing;
}
