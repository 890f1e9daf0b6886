/**
 * The upstream of P34: it interprets each request in the most expensive way any server could, serves that,
 * and records what it would bill. Shares no code with the product.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EndpointName } from "../harness/endpoints.ts";
import { answerGreedily } from "./p34-answers.ts";

/** JSON that keeps all members, including duplicates. */
export type Loose =
  | string
  | number
  | boolean
  | null
  | readonly Loose[]
  | { readonly members: readonly (readonly [string, Loose])[] };

/** Reads a text that is JSON. */
function parseLoose(text: string): Loose {
  let at = 0;
  const space = (): void => {
    while (/\s/.test(text[at] ?? "")) at += 1;
  };
  const token = (): string => {
    const match = /^(?:"(?:[^"\\]|\\.)*"|[^\s,\]}:]+)/s.exec(text.slice(at, at + 2_000_000));
    if (match === null) throw new SyntaxError(`at ${at}`);
    at += match[0].length;
    return match[0];
  };
  const value = (): Loose => {
    space();
    if (text[at] === "{") {
      const members: [string, Loose][] = [];
      for (at += 1, space(); text[at] !== "}"; space()) {
        if (text[at] === ",") at += 1;
        space();
        const name = JSON.parse(token()) as string;
        space();
        at += 1;
        members.push([name, value()]);
      }
      at += 1;
      return { members };
    }
    if (text[at] === "[") {
      const items: Loose[] = [];
      for (at += 1, space(); text[at] !== "]"; space()) {
        if (text[at] === ",") at += 1;
        items.push(value());
      }
      at += 1;
      return items;
    }
    return JSON.parse(token()) as Loose;
  };
  return value();
}

const fold = (name: string): string => name.toUpperCase().toLowerCase().replaceAll("_", "");
const foldedSet = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).map(fold));

/** How servers of a format may read a request. Names are folded. */
interface Reading {
  /** Names of the output bound; without one of the `usual`, the model's limit applies. */
  readonly bounds: ReadonlySet<string>;
  readonly usual: ReadonlySet<string>;
  readonly multipliers: ReadonlySet<string>;
  /** Objects whose members count like those at the top. */
  readonly boxes: ReadonlySet<string>;
  /** Bounds of thinking that comes on top. Elsewhere it is within the output's bound. */
  readonly beside: ReadonlySet<string>;
}

const anyNames =
  "max_tokens max_completion_tokens n_predict num_predict max_new_tokens max_output_tokens max_length";

/**
 * Of chat there are servers with all these names. The servers of the other formats have that format's own,
 * but Gemini's stand in an object.
 */
const readings: Readonly<Record<EndpointName, Reading>> = {
  chat: {
    bounds: foldedSet(anyNames),
    usual: foldedSet("max_tokens max_completion_tokens"),
    multipliers: foldedSet("n best_of candidate_count n_cmpl"),
    boxes: foldedSet("options extra_body generation_config parameters google"),
    beside: foldedSet("thinking_budget"),
  },
  responses: {
    bounds: foldedSet("max_output_tokens"),
    usual: foldedSet("max_output_tokens"),
    multipliers: new Set(),
    boxes: new Set(),
    beside: new Set(),
  },
  messages: {
    bounds: foldedSet("max_tokens"),
    usual: foldedSet("max_tokens"),
    multipliers: new Set(),
    boxes: new Set(),
    beside: new Set(),
  },
  gemini: {
    bounds: foldedSet("max_output_tokens"),
    usual: foldedSet("max_output_tokens"),
    multipliers: foldedSet("candidate_count"),
    boxes: foldedSet("generation_config routing_config manual_mode"),
    beside: new Set(),
  },
};
const apart = foldedSet("web_search_options plugins google_search enable_search fallbacks mcp_servers");
const harmlessTiers = ["auto", "default", "standard", "standard_only"];
const ordinaryTools = ["function", "custom", "namespace"];

/** The most expensive meaning of a request. */
export interface Meaning {
  readonly model: string;
  readonly output: number;
  readonly promptTokens: number;
  readonly isAudio: boolean;
  /** Does the prompt have sound, which its format reports apart? */
  readonly isAudioPrompt: boolean;
  /** Extras billed beside tokens. */
  readonly extras: number;
  readonly isStream: boolean;
}

/** The model's output limit, used when the request sets none. */
const modelCap = 128_000;
const endless = 400_000;

const isObject = (value: Loose): value is { readonly members: readonly (readonly [string, Loose])[] } =>
  typeof value === "object" && value !== null && "members" in value;

/** Members at the top and in boxes, with the name of their box. */
function* pairs(
  value: Loose,
  boxes: ReadonlySet<string>,
  box = "",
): Generator<readonly [name: string, value: Loose, box: string]> {
  if (!isObject(value)) return;
  for (const [name, inner] of value.members) {
    yield [fold(name), inner, box];
    if (boxes.has(fold(name))) yield* pairs(inner, boxes, fold(name));
  }
}

/** Names that a format puts around a prompt, which are no part of it; and those whose values are none. */
const around = foldedSet("messages input contents content parts text role type instructions system stream");
const settings = foldedSet("model role type include store");

/** Bytes of all texts in it, including member names. */
function textBytes(value: Loose): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item: Loose) => sum + textBytes(item), 0);
  if (!isObject(value)) return 0;
  return value.members.reduce((sum, [name, inner]) => {
    if (settings.has(fold(name))) return sum;
    return sum + (around.has(fold(name)) ? 0 : name.length) + textBytes(inner);
  }, 0);
}

const boundOf = (value: Loose): number => {
  const number = Number(value);
  return number > 0 && number < endless ? Math.ceil(number) : endless;
};

const isHosted = (tool: Loose, format: EndpointName): boolean => {
  if (!isObject(tool)) return true;
  if (format === "gemini") return tool.members.some(([name]) => fold(name) !== fold("functionDeclarations"));
  const types = tool.members.filter(([name]) => fold(name) === "type").map(([, type]) => String(type));
  return (
    types.some((type) => !ordinaryTools.includes(type)) ||
    tool.members.some(([name]) => fold(name) === "googlesearch")
  );
};

/** Parts that hold sound, where it is reported apart from text. */
const soundIn = (body: string, format: EndpointName): boolean =>
  (format === "chat" && /"input_?audio"/i.test(body)) ||
  (format === "gemini" && /"mime_?type":\s*"audio\//i.test(JSON.stringify(JSON.parse(body))));

/** The call a body came in: its format, and for Gemini what the path says. */
export interface GreedyCall {
  readonly format: EndpointName;
  readonly model?: string | undefined;
  readonly isStream?: boolean | undefined;
}

const usualCall: GreedyCall = { format: "chat" };

export function meaningOf(body: string, call: GreedyCall = usualCall): Meaning {
  const parsed = parseLoose(body);
  const { format } = call;
  const { bounds, usual, multipliers, boxes, beside } = readings[format];
  let [model, most, choices, extras, thought] = [call.model ?? "", 0, 1, 0, 0];
  let [isAudio, isStream, isBounded] = [false, call.isStream ?? false, false];
  for (const [name, value, box] of pairs(parsed, boxes)) {
    if (value === null || (format === "gemini" && box === "" && bounds.has(name))) continue;
    if (name === "model" || name === fold("model_name")) model = String(value).replace(/^models\//, "");
    if (name === "stream") isStream = value === true;
    if (usual.has(name)) isBounded = true;
    // A message of no tokens only warms the cache.
    if (bounds.has(name)) most = Math.max(most, format === "messages" && value === 0 ? 0 : boundOf(value));
    if (beside.has(name)) thought = Math.max(thought, Math.min(boundOf(value), modelCap));
    if (multipliers.has(name)) choices = Math.max(choices, Math.min(1_000, Math.ceil(Number(value))));
    if (apart.has(name)) extras += 1;
    if (name === fold("service_tier") && !harmlessTiers.includes(String(value))) extras += 1;
    if (name === "speed" && value !== "standard") extras += 1;
    if (name === (format === "gemini" ? fold("response_modalities") : "modalities") && format !== "messages")
      isAudio ||= JSON.stringify(value).toLowerCase().includes("audio");
    if (name === "tools" && Array.isArray(value))
      extras += value.filter((tool) => isHosted(tool, format)).length;
  }
  return {
    model,
    output: ((isBounded ? most : Math.max(most, modelCap)) + thought) * choices,
    promptTokens: Math.ceil(textBytes(parsed) / 4),
    isAudio,
    isAudioPrompt: soundIn(body, format),
    extras,
    isStream,
  };
}

/**
 * The bill of one call: NanoUsd at the rig's catalog rates, a dollar for each extra, ten times for another
 * model.
 */
export function billOf({ model, output, promptTokens, isAudio, isAudioPrompt, extras }: Meaning): bigint {
  const tokens =
    BigInt(promptTokens) * (isAudioPrompt ? 10_000n : 250n) + BigInt(output) * (isAudio ? 40_000n : 2_000n);
  return (model === "upstream-model" ? tokens : tokens * 10n) + BigInt(extras) * 1_000_000_000n;
}

export interface Greedy {
  readonly baseUrl: string;
  /** Amounts billed, by the caller's mark. */
  readonly bills: ReadonlyMap<string, bigint>;
  close(): Promise<void>;
}

const markOf = (body: string): string => /mark-[0-9]+-/.exec(body)?.[0] ?? "";

/** The call that a path stands for; undefined: none of a format's. */
export function callAt(url: string): GreedyCall | undefined {
  if (url === "/v1/chat/completions") return { format: "chat" };
  if (url === "/v1/responses") return { format: "responses" };
  if (url === "/v1/messages") return { format: "messages" };
  const [, model, method] = /^\/v1\/models\/([^/:]+):(\w+)/.exec(url) ?? [];
  if (model === undefined) return undefined;
  return { format: "gemini", model, isStream: method === "streamGenerateContent" };
}

/** Starts it on a free local port. `other` may take over a request; it returns whether it did. */
export async function startGreedy(
  other: (body: string, reply: ServerResponse, call: GreedyCall) => boolean = () => false,
): Promise<Greedy> {
  const bills = new Map<string, bigint>();
  const take = async (req: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    const call = callAt(req.url ?? "");
    if (call === undefined) return void reply.writeHead(404).end();
    if (other(body, reply, call)) return;
    const meaning = meaningOf(body, call);
    const mark = markOf(body);
    bills.set(mark, (bills.get(mark) ?? 0n) + billOf(meaning));
    answerGreedily(meaning, call.format, reply);
  };
  const server = createServer((req, reply) => {
    take(req, reply).catch((error: unknown) => {
      // An unreadable body: respond with an error, so that the rig sees a failed call.
      reply.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bills,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
