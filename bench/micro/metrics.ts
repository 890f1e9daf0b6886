/**
 * The cost of metrics: nanoseconds to count one request, and milliseconds and bytes of a scrape with many
 * models in use. Run: node bench/micro/metrics.ts [--models N] [--requests N] [--rounds N]
 */
import { parseArgs } from "node:util";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createObserve, type SettledRequest } from "../../server/src/gateway/observe/observe.ts";
import { reportSettled } from "../../server/src/gateway/observe/settled.ts";
import { createRegistry } from "../../server/src/lib/telemetry/metrics.ts";
import { joinFamilies } from "../../server/src/lib/telemetry/metrics-text.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import type { RequestRow } from "../../server/src/store/requests/shapes.ts";
import { median } from "../measure/statistics.ts";

const { values: options } = parseArgs({
  options: {
    models: { type: "string", default: "200" },
    requests: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "7" },
  },
});

const names = Array.from({ length: Number(options.models) }, (_, index) => `vendor/model-${index}`);
const registry = createRegistry();
const watchers = { observe: createObserve(registry), tracer: undefined, requestLog: undefined };
const rows = names.map(
  (modelId, index): RequestRow => ({
    id: "req_bench",
    createdAt: 0,
    accountId: "acc_bench",
    keyId: "key_bench",
    operation: "chat",
    modelId,
    upstreamId: `upstream-${index % 10}`,
    upstreamModel: modelId,
    isStream: true,
    status: 200,
    state: "complete",
    errorCode: null,
    attempts: 1,
    inputTokens: 1_200 + index,
    cachedInputTokens: 300,
    cacheWriteTokens: 0,
    outputTokens: 350,
    reasoningTokens: 50,
    usageSource: "exact",
    firstTokenMs: 210,
    durationMs: 4_200,
    usageParts: null,
    attemptLog: null,
    queueMs: 1,
    priceId: 1,
    cost: nanoUsd(1_000n),
    charge: nanoUsd(2_100_000n),
  }),
);

function countOne(index: number): void {
  const row = rows[index % rows.length] as RequestRow;
  const marks = {
    endpoint: { path: "/v1/chat/completions" },
    call: { createdAt: 0, startedMs: index, trace: undefined, sender: undefined },
    read: { receivedMs: index + 1 },
    outcome: { dispatchedMs: index + 2, answeredMs: index + 4_000 },
    earlier: undefined,
  };
  const settled: Pick<SettledRequest, "row" | "model" | "provider" | "isRecorded"> = {
    row,
    model: row.modelId as string,
    provider: "openai",
    isRecorded: true,
  };
  reportSettled(watchers, marks, { ...settled, beganMs: index + 4_000, endedMs: index + 4_003 });
}

const perRequest: number[] = [];
const scrapes: number[] = [];
for (let round = 0; round < Number(options.rounds); round += 1) {
  const beganMs = systemClock.elapsedMs();
  for (let index = 0; index < Number(options.requests); index += 1) countOne(index);
  perRequest.push(((systemClock.elapsedMs() - beganMs) * 1e6) / Number(options.requests));
  const scrapeMs = systemClock.elapsedMs();
  const text = Buffer.from(joinFamilies([registry.families('process="1"')]));
  scrapes.push(systemClock.elapsedMs() - scrapeMs);
  if (round === 0) console.log(`${text.length} bytes, ${text.toString().split("\n").length} lines`);
}
console.log(
  `median of ${options.rounds}: ${Math.round(median(perRequest))} ns per request counted; a scrape of ${names.length} models ${median(scrapes).toFixed(1)} ms, first ${scrapes[0]?.toFixed(1)} ms`,
);
