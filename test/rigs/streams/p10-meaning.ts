/**
 * P10 for translated formats, whose bytes cannot stay equal: conversations with tools through each
 * translating provider. The upstream's request must mean what the caller wrote, the caller's response must
 * mean what the upstream wrote, and both must hold when the answer is sent back as history, with or without
 * extra fields. Bodies of Anthropic and Google are read by the independent package `llm-bridge`. Part of the
 * rig in `p10-bytes.ts`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { toUniversal } from "llm-bridge";
import { type TestedProvider, testedProviders } from "../../../server/src/providers/testing/all.ts";
import { type BridgeProtocol, parsed, type Said } from "../../../server/src/providers/testing/tool-talk.ts";
import { countFigure, type Figure } from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import {
  type Conversation,
  conversation,
  type Fields,
  longNumber,
  results,
  tools,
} from "./p10-conversations.ts";

/** The meaning of the caller's messages. */
function meaningOf(messages: readonly Fields[]): Said[] {
  const said: Said[] = [];
  const ids: string[] = [];
  for (const message of messages) {
    const content = message["content"];
    const parts =
      typeof content === "string"
        ? [content]
        : Array.isArray(content)
          ? content.map((part: Fields) => String(part["text"]))
          : [];
    if (message["role"] === "tool") {
      said.push({
        by: "result",
        ofCall: ids.lastIndexOf(String(message["tool_call_id"])),
        value: parsed(parts.join("")),
      });
      continue;
    }
    for (const text of parts) if (text !== "") said.push({ by: message["role"] as "user", text });
    for (const call of (message["tool_calls"] ?? []) as {
      id: string;
      function: { name: string; arguments: string };
    }[]) {
      ids.push(call.id);
      said.push({ by: "call", name: call.function.name, args: parsed(call.function.arguments) });
    }
  }
  return said;
}

/** Google wraps a result that is not an object. */
function unwrapped(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return parsed(value);
  const entries = Object.entries(value);
  const only = entries.length === 1 ? entries[0] : undefined;
  return only?.[0] === "output" || only?.[0] === "result" ? parsed(only[1]) : value;
}

/** The meaning of a body sent to Anthropic or Google, as read by `llm-bridge`. */
function readByBridge(protocol: BridgeProtocol, body: Fields): Said[] {
  const universal = toUniversal(protocol, body as never);
  const said: Said[] = [];
  const ids: string[] = [];
  // The bridge joins the parts of a system prompt.
  if (typeof universal.system === "string") said.push({ by: "system", text: universal.system });
  for (const { role, content } of universal.messages) {
    for (const part of content) {
      if (part.type === "text" && part.text !== undefined) said.push({ by: role as "user", text: part.text });
      if (part.tool_call !== undefined) {
        ids.push(part.tool_call.id);
        said.push({ by: "call", name: part.tool_call.name, args: part.tool_call.arguments });
      }
      if (part.tool_result !== undefined) {
        const { tool_call_id: id, result } = part.tool_result;
        said.push({ by: "result", ofCall: ids.lastIndexOf(id), value: unwrapped(result) });
      }
    }
  }
  return said;
}

function sentMeaning({ toolTalk }: TestedProvider, body: string): Said[] {
  const fields = JSON.parse(body) as Fields;
  const read = toolTalk?.read ?? assert.fail();
  return typeof read === "string" ? readByBridge(read, fields) : read(fields);
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_details?: readonly unknown[];
  readonly tool_calls?: readonly ({
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments?: string };
  } & Fields)[];
}

/** Builds the assistant's message as a client does. */
function messageIn(seen: Seen, isStream: boolean): Fields {
  const text = seen.body.toString("utf8");
  if (!isStream) return (JSON.parse(text) as { choices: { message: Fields }[] }).choices[0]?.message ?? {};
  let content = "";
  const details: unknown[] = [];
  const calls: Record<string, unknown>[] = [];
  // Not a regular expression with `.`, which does not match U+2028.
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta =
      (JSON.parse(line.slice("data: ".length)) as { choices: { delta?: Delta }[] }).choices[0]?.delta ?? {};
    content += delta.content ?? "";
    details.push(...(delta.reasoning_details ?? []));
    for (const { index, function: called, ...rest } of delta.tool_calls ?? []) {
      const known = (calls[index] ?? {}) as { function?: { name: string; arguments: string } };
      const name = known.function?.name ?? called.name ?? "";
      calls[index] = {
        ...known,
        ...rest,
        function: { name, arguments: `${known.function?.arguments ?? ""}${called.arguments ?? ""}` },
      };
    }
  }
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: calls,
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

/** The message as kept by a client that drops extra fields. */
function stripped({ role, content, tool_calls: calls }: Fields): Fields {
  const plain = (calls as { id: string; function: Fields }[]).map(({ id, function: called }) => ({
    id,
    type: "function",
    function: called,
  }));
  return { role, content, tool_calls: plain };
}

const hasLong = (value: unknown): boolean => JSON.stringify(value).includes(longNumber);

/** Compares two meanings; the parts of a system prompt count as one text. */
function difference(wanted: readonly Said[], got: readonly Said[]): string | undefined {
  const joined = (list: readonly Said[]): unknown[] => {
    const system = list.flatMap((one) => (one.by === "system" ? [one.text] : [])).join("\n");
    return [system, ...list.filter(({ by }) => by !== "system")];
  };
  if (isDeepStrictEqual(joined(wanted), joined(got))) return undefined;
  const at = wanted.findIndex((one, index) => !isDeepStrictEqual(one, got[index]));
  return `wanted ${JSON.stringify(wanted[at]).slice(0, 200)}, sent ${JSON.stringify(got[at])?.slice(0, 200)}`;
}

/** One conversation: request, answer with tool calls, request with their results. */
async function hold(plaza: Plaza, one: Conversation, lastBody: (place: string) => string): Promise<string[]> {
  const { provider, isStream, isStripped, history, words, calls, id } = one;
  const misses: string[] = [];
  const ask = async (messages: readonly Fields[]): Promise<Seen> => {
    const body = JSON.stringify({ model: id, stream: isStream, tools, messages });
    const seen = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: 20_000 });
    const sent = lastBody(id);
    if (seen.status !== 200) misses.push(`status ${seen.status} ${seen.body.toString("utf8").slice(0, 200)}`);
    const why =
      sent === "" ? "nothing was sent" : difference(meaningOf(messages), sentMeaning(provider, sent));
    if (why !== undefined) misses.push(why);
    if (hasLong(messages) && !sent.includes(longNumber))
      misses.push("a long number lost its digits on its way up");
    return seen;
  };
  const seen = await ask(history);
  if (misses.length > 0) return misses;
  const message = messageIn(seen, isStream);
  const wanted: Said[] = [
    ...(words === "" ? [] : [{ by: "assistant" as const, text: words }]),
    ...calls.map(({ name, args: text }) => ({ by: "call" as const, name, args: parsed(text) })),
  ];
  const why = difference(wanted, meaningOf([message]));
  if (why !== undefined) misses.push(`back: ${why}`);
  if (hasLong(calls) && !hasLong(message)) misses.push("a long number lost its digits on its way back");
  const answered = (message["tool_calls"] as { id: string }[]).map(({ id: call }, place) => ({
    role: "tool",
    tool_call_id: call,
    content: results[place % results.length],
  }));
  await ask([...history, isStripped ? stripped(message) : message, ...answered]);
  return misses;
}

/** Runs tool conversations through every translating provider. */
export async function keepMeaning(random: Random, perProvider: number): Promise<Figure[]> {
  const translating = testedProviders.filter(({ toolTalk }) => toolTalk !== undefined);
  const conversations = translating.flatMap((provider) =>
    Array.from({ length: perProvider }, (_, index) =>
      conversation(random.fork(`${provider.id}-${index}`), provider, index),
    ),
  );
  const bodies = new Map<string, string>();
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const place = req.url?.split("/")[1] ?? "";
    bodies.set(place, Buffer.concat(parts).toString("utf8"));
    const found = conversations.find(({ id }) => id === place);
    const reply = found?.provider.toolTalk?.reply(found) ?? { body: "{}" };
    res.writeHead(200, { "content-type": "application/json", ...reply.headers }).end(reply.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plaza = await startPlaza({
    catalog: {
      upstreams: conversations.map(({ id, provider }) => ({
        id,
        provider: provider.id,
        baseUrl: `${origin}/${id}${provider.wire.basePath}`,
        options: provider.wire.options,
      })),
      models: conversations.map(({ id }) => ({ id, deployments: [{ upstream: id, model: "m" }] })),
    },
  });
  try {
    const figures: Figure[] = [];
    for (const provider of translating) {
      const own = conversations.filter((one) => one.provider === provider);
      const misses = (
        await inParallel(own, 8, async (one) =>
          (await hold(plaza, one, (place) => bodies.get(place) ?? "")).map((miss) => `${one.id}: ${miss}`),
        )
      ).map((list) => list[0]);
      figures.push(
        countFigure(
          "P10",
          `conversations with tools keep their meaning, there and back: ${provider.id}`,
          own.length,
          misses.filter((miss) => miss !== undefined),
        ),
      );
    }
    return figures;
  } finally {
    await plaza.stop();
    server.close().closeAllConnections();
  }
}
