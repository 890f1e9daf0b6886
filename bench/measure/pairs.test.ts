/** The result of a series of pairs: summary, output line, and exit code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../payloads.ts";
import { describePair, type Pair, pairsExitCode, pairsTable, summarizePairs } from "../report/pair-report.ts";
import { orderOf } from "./pairs.ts";

function pairsWith(truth: number, count = 20): Pair[] {
  const random = seededRandom(3);
  return Array.from({ length: count }, () => {
    const ratio = truth * (0.97 + 0.06 * random());
    return { case: "json1k", plazaUs: 100 * ratio, otherUs: 100, nginxUs: undefined, ratio, windows: [] };
  });
}

test("alike is yes, 6 % slower is no, three pairs tell nothing", () => {
  const alike = summarizePairs("json1k", pairsWith(1));
  const slower = summarizePairs("json1k", pairsWith(1.06));
  const few = summarizePairs("json1k", pairsWith(1, 3));
  assert.deepEqual([alike.verdict, slower.verdict, few.verdict], ["yes", "no", "not told apart"]);
  assert.equal(pairsExitCode([alike]), 0);
  assert.equal(pairsExitCode([alike, slower, few]), 1);
  assert.equal(pairsExitCode([alike, few]), 3);
  assert.match(pairsTable([alike, slower]), /json1k +us\/request +[\d.]+ +100 .* yes\njson1k .* NO/);
  assert.match(pairsTable([few]), /too few pairs/);
});

test("the two builds change places from pair to pair, and nginx stands in the middle", () => {
  const gateway = (name: "plaza" | "other" | "nginx") => ({
    name,
    pid: 0,
    port: 0,
    jsonPath: "",
    streamPath: "",
    key: "",
    stop: async () => {},
  });
  const [plaza, other, nginx] = [gateway("plaza"), gateway("other"), gateway("nginx")];
  const names = (index: number, sides: Parameters<typeof orderOf>[0]) =>
    orderOf(sides, index).map(({ name }) => name);
  assert.deepEqual(names(0, { plaza, other, nginx: undefined }), ["plaza", "other", "other", "plaza"]);
  assert.deepEqual(names(1, { plaza, other, nginx }), ["other", "plaza", "nginx", "plaza", "other"]);
});

test("a pair's line says what was measured again and what stayed disturbed", () => {
  const window = {
    gateway: "plaza",
    cpuMs: 1,
    durationMs: 1,
    costUs: 1,
    perSecond: 1,
    paceKeptPercent: 100,
    foreignCpuPercent: 50,
    repeats: 2,
    isDisturbed: true,
  } as const;
  const [pair] = pairsWith(1.06, 1);
  assert.ok(pair !== undefined);
  const line = describePair({ ...pair, nginxUs: 12, windows: [window] });
  assert.match(line, /nginx 12\.0 us\/request; other work up to 50 %, 2 windows again, still disturbed$/);
});
