/**
 * P10's conversations with tools, of all endpoints at upstreams of every kind. Where both speak the same
 * format, request and answer pass byte for byte but for the model's name. Elsewhere the upstream's request
 * must mean what the caller wrote, the caller's response what the upstream wrote, and both must hold when the
 * answer is sent back as history, with or without extra fields. Part of the rig in `p10-bytes.ts`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { Said } from "../../../server/src/providers/testing/tool-talk.ts";
import { endpointNames, pathOf } from "../harness/endpoints.ts";
import { countFigure, type Figure } from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import { firstDifference } from "./p10-bodies.ts";
import { callers } from "./p10-callers.ts";
import {
  type Conversation,
  conversation,
  longNumber,
  meaningOf,
  results,
  type Turn,
} from "./p10-conversations.ts";
import { toolUpstreams } from "./p10-upstreams.ts";

const upstreamModel = "upstream-model";

/** Texts side by side of one speaker are one: formats join them, or keep them apart. */
function joined(said: readonly Said[]): unknown[] {
  const system = said.flatMap((one) => (one.by === "system" ? [one.text] : [])).join("\n");
  const out: Said[] = [];
  for (const one of said) {
    const last = out.at(-1);
    if (one.by === "system") continue;
    if ("text" in one && last !== undefined && "text" in last && last.by === one.by)
      out[out.length - 1] = { by: one.by, text: `${last.text}\n${one.text}` };
    else out.push(one);
  }
  return [system, ...out];
}

/** Compares two meanings. */
function difference(wanted: readonly Said[], got: readonly Said[]): string | undefined {
  const [left, right] = [joined(wanted), joined(got)];
  if (isDeepStrictEqual(left, right)) return undefined;
  const at = left.findIndex((one, index) => !isDeepStrictEqual(one, right[index]));
  return `wanted ${JSON.stringify(left[at]).slice(0, 200)}, sent ${JSON.stringify(right[at])?.slice(0, 200)}`;
}

const hasLong = (text: string): boolean => text.includes(longNumber);

/** What an upstream got last of a conversation, and what it answered. */
interface Heard {
  readonly body: string;
  readonly reply: Buffer;
}

/** The body of a call for this model; Gemini's is in the path. */
function bodyFor(one: Conversation, turns: readonly Turn[], model: string): string {
  const body = callers[one.endpoint].write(one, turns);
  return JSON.stringify(one.endpoint === "gemini" ? body : { model, ...body });
}

/** What is wrong with what the upstream got. */
function judgeSent(one: Conversation, turns: readonly Turn[], sent: string): string[] {
  const { upstream, endpoint, system } = one;
  if (sent === "") return ["nothing was sent"];
  if (upstream.spoken === endpoint) {
    const wanted = bodyFor(one, turns, upstreamModel);
    return sent === wanted ? [] : [`changed: ${firstDifference(wanted, sent)}`];
  }
  const why = difference(meaningOf(system, turns), upstream.read(JSON.parse(sent)));
  const isLost = hasLong(bodyFor(one, turns, "")) && !hasLong(sent);
  return [
    ...(why === undefined ? [] : [why]),
    ...(isLost ? ["a long number lost its digits on its way up"] : []),
  ];
}

/** One conversation: request, answer with tool calls, request with their results. */
async function hold(plaza: Plaza, one: Conversation, heardOf: () => Heard | undefined): Promise<string[]> {
  const { endpoint, upstream, id, isStream, isStripped, history, words, calls } = one;
  const misses: string[] = [];
  const ask = async (turns: readonly Turn[]): Promise<Seen> => {
    const url = plaza.origin + pathOf(endpoint, { model: id, isStream });
    const seen = await post({ url, key: plaza.key, body: bodyFor(one, turns, id), withinMs: 20_000 });
    const heard = heardOf();
    if (seen.status !== 200) misses.push(`status ${seen.status} ${seen.body.toString("utf8").slice(0, 200)}`);
    misses.push(...judgeSent(one, turns, heard?.body ?? ""));
    if (upstream.spoken === endpoint && heard !== undefined && !seen.body.equals(heard.reply)) {
      const [owed, got] = [heard.reply.toString("utf8"), seen.body.toString("utf8")];
      misses.push(`back: changed: ${firstDifference(owed, got)}`);
    }
    return seen;
  };
  const seen = await ask(history);
  if (misses.length > 0) return misses;
  const got = callers[endpoint].read(seen.body.toString("utf8"), isStream);
  const told = (turn: Pick<Turn & { by: "assistant" }, "words" | "calls">): Said[] =>
    meaningOf(undefined, [{ ...turn, by: "assistant" }]);
  const why = difference(told({ words, calls: calls.map((call) => ({ ...call, id: "" })) }), told(got));
  if (why !== undefined) misses.push(`back: ${why}`);
  if (calls.some(({ args }) => hasLong(args)) && !got.calls.some(({ args }) => hasLong(args)))
    misses.push("a long number lost its digits on its way back");
  const values = got.calls.map((_, place) => results[place % results.length] ?? "");
  await ask([
    ...history,
    { by: "assistant", words: got.words, calls: got.calls, replay: isStripped ? got.plain : got.replay },
    { by: "results", of: got.calls, values },
  ]);
  return misses;
}

/** Runs conversations of every endpoint at every upstream, so many of each pair. */
export async function keepMeaning(random: Random, perPair: number): Promise<Figure[]> {
  const conversations = toolUpstreams.flatMap((upstream) =>
    endpointNames.flatMap((endpoint) =>
      Array.from({ length: perPair }, (_, index) =>
        conversation(random.fork(`${endpoint}-${upstream.id}-${index}`), endpoint, upstream, index),
      ),
    ),
  );
  const byId = new Map(conversations.map((one) => [one.id, one]));
  const heard = new Map<string, Heard>();
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const place = req.url?.split("/")[1] ?? "";
    const found = byId.get(place);
    const { headers, body } = found?.upstream.reply(found) ?? { headers: {}, body: "{}" };
    heard.set(place, { body: Buffer.concat(parts).toString("utf8"), reply: Buffer.from(body) });
    res.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plaza = await startPlaza({
    catalog: {
      upstreams: conversations.map(({ id, upstream: { provider, wire } }) => ({
        id,
        provider,
        baseUrl: `${origin}/${id}${wire.basePath}`,
        options: wire.options,
      })),
      models: conversations.map(({ id, upstream: { formats } }) => ({
        id,
        deployments: [{ upstream: id, model: upstreamModel, ...(formats === undefined ? {} : { formats }) }],
      })),
    },
  });
  try {
    const figures: Figure[] = [];
    for (const { id } of toolUpstreams) {
      const own = conversations.filter(({ upstream }) => upstream.id === id);
      const misses = await inParallel(own, 8, async (one) =>
        (await hold(plaza, one, () => heard.get(one.id))).map((miss) => `${one.id}: ${miss}`),
      );
      figures.push(
        countFigure(
          "P10",
          `conversations with tools of all endpoints keep their meaning, there and back: ${id}`,
          own.length,
          misses.flatMap(([first]) => (first === undefined ? [] : [first])),
        ),
      );
    }
    return figures;
  } finally {
    await plaza.stop();
    server.close().closeAllConnections();
  }
}
