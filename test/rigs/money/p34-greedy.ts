/**
 * The upstream of P34: it interprets each request in the most expensive way any server could, serves that,
 * and records what it would bill. Shares no code with the product.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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
const bounds = new Set(
  [
    "max_tokens",
    "max_completion_tokens",
    "n_predict",
    "num_predict",
    "max_new_tokens",
    "max_output_tokens",
    "max_length",
  ].map(fold),
);
const multipliers = new Set(["n", "best_of", "candidate_count", "n_cmpl"].map(fold));
const apart = new Set(
  ["web_search_options", "plugins", "google_search", "enable_search", "fallbacks"].map(fold),
);
const boxes = new Set(["options", "extra_body", "generation_config", "parameters", "google"].map(fold));
const ordinaryTools = ["function", "custom"];

/** The most expensive meaning of a request. */
export interface Meaning {
  readonly model: string;
  readonly output: number;
  readonly promptTokens: number;
  readonly isAudio: boolean;
  /** Extras billed beside tokens. */
  readonly extras: number;
  readonly isStream: boolean;
}

/** The model's output limit, used when the request sets none. */
const modelCap = 128_000;
const endless = 400_000;

const isObject = (value: Loose): value is { readonly members: readonly (readonly [string, Loose])[] } =>
  typeof value === "object" && value !== null && "members" in value;

function* pairs(value: Loose): Generator<readonly [string, Loose]> {
  if (!isObject(value)) return;
  for (const [name, inner] of value.members) {
    yield [fold(name), inner];
    if (boxes.has(fold(name))) yield* pairs(inner);
  }
}

/** Bytes of all texts in it, including member names. */
function textBytes(value: Loose): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce((sum: number, item: Loose) => sum + textBytes(item), 0);
  if (!isObject(value)) return 0;
  return value.members.reduce((sum, [name, inner]) => sum + name.length + textBytes(inner), 0);
}

const boundOf = (value: Loose): number => {
  const number = Number(value);
  return number > 0 && number < endless ? Math.ceil(number) : endless;
};

const isHosted = (tool: Loose): boolean => {
  if (!isObject(tool)) return true;
  const types = tool.members.filter(([name]) => fold(name) === "type").map(([, type]) => String(type));
  return (
    types.some((type) => !ordinaryTools.includes(type)) ||
    tool.members.some(([name]) => fold(name) === "googlesearch")
  );
};

export function meaningOf(body: string): Meaning {
  const parsed = parseLoose(body);
  let [model, most, choices, extras, isAudio, isStream, isBounded] = ["", 0, 1, 0, false, false, false];
  for (const [name, value] of pairs(parsed)) {
    if (value === null) continue;
    if (name === "model") model = String(value);
    if (name === "stream") isStream = value === true;
    if (name === fold("max_tokens") || name === fold("max_completion_tokens")) isBounded = true;
    if (bounds.has(name)) most = Math.max(most, boundOf(value));
    if (multipliers.has(name)) choices = Math.max(choices, Math.min(1_000, Math.ceil(Number(value))));
    if (apart.has(name)) extras += 1;
    if (name === fold("service_tier") && !["auto", "default"].includes(String(value))) extras += 1;
    if (name === "modalities") isAudio ||= JSON.stringify(value).toLowerCase().includes("audio");
    if (name === "tools" && Array.isArray(value)) extras += value.filter(isHosted).length;
  }
  return {
    model,
    output: (isBounded ? most : Math.max(most, modelCap)) * choices,
    promptTokens: Math.ceil(textBytes(parsed) / 4),
    isAudio,
    extras,
    isStream,
  };
}

/**
 * The bill of one call: NanoUsd at the rig's catalog rates, a dollar for each extra, ten times for another
 * model.
 */
export function billOf({ model, output, promptTokens, isAudio, extras }: Meaning): bigint {
  const tokens = BigInt(promptTokens) * 250n + BigInt(output) * (isAudio ? 40_000n : 2_000n);
  return (model === "upstream-model" ? tokens : tokens * 10n) + BigInt(extras) * 1_000_000_000n;
}

export interface Greedy {
  readonly baseUrl: string;
  /** Amounts billed, by the caller's mark. */
  readonly bills: ReadonlyMap<string, bigint>;
  close(): Promise<void>;
}

const markOf = (body: string): string => /mark-[0-9]+/.exec(body)?.[0] ?? "";

function answer(meaning: Meaning, reply: ServerResponse): void {
  const usage = {
    prompt_tokens: meaning.promptTokens,
    completion_tokens: meaning.output,
    total_tokens: meaning.promptTokens + meaning.output,
    ...(meaning.isAudio ? { completion_tokens_details: { audio_tokens: meaning.output } } : {}),
  };
  const head = { id: "chatcmpl-1", created: 1, model: "upstream-model" };
  if (!meaning.isStream) {
    reply.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: "ok" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    reply.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    return;
  }
  const chunk = (choices: unknown[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`;
  reply.writeHead(200, { "content-type": "text/event-stream" });
  reply.write(chunk([{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: "" }]));
  reply.write(chunk([{ index: 0, delta: {}, finish_reason: "stop" }]));
  reply.end(`${chunk([], { usage })}data: [DONE]\n\n`);
}

/** Starts it on a free local port. `other` may take over a request; it returns whether it did. */
export async function startGreedy(
  other: (body: string, reply: ServerResponse) => boolean = () => false,
): Promise<Greedy> {
  const bills = new Map<string, bigint>();
  const take = async (req: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    if (other(body, reply)) return;
    const meaning = meaningOf(body);
    const mark = markOf(body);
    bills.set(mark, (bills.get(mark) ?? 0n) + billOf(meaning));
    answer(meaning, reply);
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
