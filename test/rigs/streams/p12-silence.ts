/**
 * P12: long reasoning does not look like a dead connection. The upstream is silent before its headers, before
 * its first token, between tokens and before its end; keep-alive comments must arrive and the stream must
 * complete.
 */
import OpenAI from "openai";
import { spokenName } from "../harness/catalog.ts";
import { bodyFor, endpointNames, pathOf, readAnswer } from "../harness/endpoints.ts";
import { boundFigure, countFigure, type Rig } from "../harness/figure.ts";
import { type Arrival, post } from "../harness/http-client.ts";
import { withPlaza } from "../harness/processes/with-plaza.ts";
import { seededRandom } from "../harness/random.ts";
import { readStream } from "../harness/sdk.ts";
import { isComment, splitEvents } from "../harness/sse.ts";
import { tokensText } from "../harness/streams/tokens.ts";
import type { Plan } from "../upstream/plan.ts";

/** Position of the silence: after how many tokens. */
function silences(silentMs: number): readonly { name: string; plan: Partial<Plan> }[] {
  return [
    { name: "before the head", plan: { headersMs: silentMs, tokens: 4 } },
    { name: "before the first token", plan: { firstMs: silentMs, tokens: 4 } },
    { name: "between two tokens", plan: { gapMs: silentMs, tokens: 2 } },
    { name: "after the finish", plan: { endMs: silentMs, tokens: 4 } },
  ];
}

/** Longest time without a byte, counted from sending. */
function longestSilence(sentAt: number, arrivals: readonly Arrival[]): number {
  let last = sentAt;
  let longest = 0;
  for (const arrival of arrivals) {
    longest = Math.max(longest, arrival.at - last);
    last = arrival.at;
  }
  return longest;
}

export const run: Rig = ({ size, seed }) => {
  const isLong = size === "long";
  const silentMs = isLong ? 180_000 : 3500;
  const wantedMs = isLong ? 15_000 : 1600;
  const perSilence = isLong ? 10 : 3;
  const env = isLong ? {} : { PLAZA_KEEP_ALIVE_COMMENT_MS: "1s" };
  return withPlaza({ env }, async (plaza, upstream) => {
    const cases = silences(silentMs).flatMap((one) => Array.from({ length: perSilence }, () => one));
    const misses: string[] = [];
    const sdkMisses: string[] = [];
    let longest = 0;
    await Promise.all(
      cases.map(async ({ name, plan }, index) => {
        const id = `p12-${index}`;
        // Each silence is heard at other endpoints than the one before it.
        const endpoint =
          endpointNames[(index + Math.floor(index / perSilence)) % endpointNames.length] ?? "chat";
        const random = seededRandom(seed).fork(id);
        const spoken = random.chance(0.5) ? endpoint : random.pick(endpointNames);
        const call = {
          model: spokenName("rig-model", spoken),
          isStream: true,
          maxTokens: 100,
          plan: { ...plan, id },
          text: "think",
        };
        const url = plaza.origin + pathOf(endpoint, call);
        const body = bodyFor(endpoint, call);
        const seen = await post({ url, key: plaza.key, body, withinMs: silentMs + 20_000 });
        const pieces = splitEvents(seen.body);
        const relayed = pieces
          .filter((piece) => !isComment(piece))
          .reduce((sum, piece) => sum + piece.length, 0);
        const { isComplete } = readAnswer(seen);
        // What is passed has the upstream's bytes; what is translated has others. Messages are kept alive by
        // events.
        const isSame =
          endpoint !== spoken || endpoint === "messages" || relayed === upstream.findCall(id)?.bytes;
        if (!seen.isWhole || !isComplete || !isSame)
          misses.push(
            `${name}, ${endpoint} of ${spoken}: status ${seen.status}, ${relayed} bytes, ${seen.problem}`,
          );
        longest = Math.max(longest, longestSilence(seen.sentAt, seen.arrivals));
      }),
    );
    const client = new OpenAI({
      apiKey: plaza.key,
      baseURL: `${plaza.origin}/v1`,
      maxRetries: 0,
      logLevel: "off",
    });
    const wanted = (tokens: number): string => tokensText("en", tokens);
    await Promise.all(
      silences(silentMs).map(async ({ name, plan }) => {
        const view = await readStream(client, { model: "rig-model", x_rig: plan });
        const isRight =
          view.error === undefined &&
          view.text === wanted(plan.tokens ?? 0) &&
          view.finishes.join() === "stop";
        if (!isRight)
          sdkMisses.push(
            `${name}: ${view.error?.message ?? `${view.chunks} chunks, ${view.finishes.join()}`}`,
          );
      }),
    );
    return [
      countFigure("P12", `streams silent for ${silentMs / 1000} s complete`, cases.length, misses),
      countFigure("P12", "the official SDK reads them", 4, sdkMisses),
      boundFigure("P12", "longest wait without a byte (first comment included)", longest, wantedMs),
    ];
  });
};
