/** The counting upstream: a direct caller sees what the plan says and what the journal records. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { post, type Seen } from "../harness/http-client.ts";
import { eventually } from "../harness/measure/clock.ts";
import { inBandError, isDone, splitEvents } from "../harness/sse.ts";
import { recordedStreams } from "../harness/streams/streams.ts";
import { callerFaults, faults } from "./faults.ts";
import { readJournal } from "./journal.ts";
import type { Plan } from "./plan.ts";
import { startUpstream, type Upstream } from "./server.ts";

const upstream = await startUpstream({ leaks: ["org-LeakedOrganization"] });
test.after(() => upstream.stop());

/** More than any valid answer, less than the endless one. */
const enoughBytes = 60 * 1024 * 1024;

function ask(
  plan: Partial<Plan>,
  isStream: boolean,
  on: Upstream = upstream,
  withinMs = 10_000,
  leaveAfterBytes = Number.POSITIVE_INFINITY,
): Promise<Seen> {
  const body = JSON.stringify({
    model: "m",
    messages: [{ role: "user", content: "x" }],
    stream: isStream,
    stream_options: isStream ? { include_usage: true } : undefined,
    x_rig: plan,
  });
  let bytes = 0;
  return post({
    url: `${on.baseUrl}/chat/completions`,
    key: "sk-direct",
    body,
    withinMs,
    onArrival: (arrival, call) => {
      bytes += arrival.bytes.length;
      if (bytes > leaveAfterBytes) call.destroy();
    },
  });
}

test("a stream carries the planned tokens, usage and end marker, and the journal says so", async () => {
  const seen = await ask({ id: "plain", tokens: 5, usageNull: true }, true);
  const events = splitEvents(seen.body);
  assert.equal(seen.status, 200);
  assert.equal(events.length, 5 + 4);
  assert.ok(isDone(events.at(-1) ?? Buffer.alloc(0)));
  const call = upstream.findCall("plain");
  assert.equal(call?.tokens, 5);
  assert.equal(call?.end, "finished");
  assert.equal(call?.bytes, seen.body.length);
  assert.match(call?.usage ?? "", /"completion_tokens":5/);
});

test("an answer that is no stream is one JSON body with usage", async () => {
  const seen = await ask({ id: "whole", tokens: 3, text: "zh" }, false);
  const value = JSON.parse(seen.body.toString("utf8")) as { usage: { completion_tokens: number } };
  assert.equal(value.usage.completion_tokens, 3);
  assert.equal(upstream.findCall("whole")?.end, "finished");
});

for (const stream of recordedStreams) {
  test(`recorded stream ${stream.name} survives every way of writing it`, async () => {
    const ways: Partial<Plan>[] = [{}, { coalesce: 3 }, { split: [1] }, { split: [7, 1, 300] }];
    for (const way of ways) {
      const seen = await ask({ replay: stream.name, ...way }, true, upstream, 10_000);
      assert.ok(seen.body.equals(stream.bytes), JSON.stringify(way));
    }
  });
}

test("a cut stops before the named event in each way", async () => {
  for (const how of ["end", "fin", "truncate", "rst"]) {
    const seen = await ask({ tokens: 10, cutEvent: 4, how }, true);
    assert.equal(seen.isWhole, how === "end" || how === "fin", how);
    assert.equal(splitEvents(seen.body).length, 4, how);
  }
  const cut = await ask({ tokens: 10, cutByte: 100, how: "end" }, true);
  assert.equal(cut.body.length, 100);
});

/** The result of each fault for a direct caller: [stream, whole answer]. */
type Expected = (seen: Seen) => boolean;
const status =
  (code: number): Expected =>
  (seen) =>
    seen.status === code;
const silent: Expected = (seen) => seen.body.length < 4 && seen.problem === "client gave up waiting";
const broken: Expected = (seen) => !seen.isWhole && seen.problem !== "client gave up waiting";
const noAnswer: Expected = (seen) => seen.status === 0 && broken(seen);
const sound: Expected = (seen) => seen.status === 200 && seen.isWhole;
const expectations: Record<string, Expected> = {
  hang_accept: silent,
  hang_headers: (seen) => seen.status === 200 && silent(seen),
  one_byte_per_second: silent,
  reset_before_headers: noAnswer,
  reset_after_headers: (seen) => seen.status === 200 && broken(seen),
  reset_mid_event: (seen) => seen.body.length > 50 && broken(seen),
  fin_mid_event: (seen) => seen.body.length > 50 && broken(seen),
  garbage: noAnswer,
  html_200: (seen) => sound(seen) && seen.headers["content-type"] === "text/html",
  status_500_body: status(500),
  status_502_empty: (seen) => seen.status === 502 && seen.body.length === 0,
  status_429_seconds: (seen) => seen.status === 429 && seen.headers["retry-after"] === "7",
  status_429_date: (seen) =>
    seen.status === 429 && Date.parse(seen.headers["retry-after"] ?? "") > Date.now(),
  status_429_absurd: (seen) => seen.status === 429 && seen.headers["retry-after"] === "999999999999",
  status_401: status(401),
  status_402: status(402),
  status_403: status(403),
  redirect_loopback: (seen) => seen.status === 301 && (seen.headers.location ?? "").endsWith("/rig/trap"),
  huge_line: (seen) => seen.body.length > enoughBytes && !seen.body.subarray(-1000).includes("\n"),
  endless_event: (seen) => seen.body.length > enoughBytes && !seen.body.includes("y\n\n"),
  invalid_utf8: (seen) => sound(seen) && seen.body.includes(Buffer.from([0xff, 0xc3, 0x28])),
  split_utf8: sound,
  bad_chunk_size: broken,
  wrong_content_length: broken,
  double_gzip: (seen) => seen.headers["content-encoding"] === "gzip, gzip",
  error_in_band: (seen) =>
    sound(seen) && (seen.body.includes('"error":{') || splitEvents(seen.body).some(inBandError)),
  usage_negative: (seen) => seen.body.includes('"completion_tokens":-1'),
  usage_huge: (seen) => seen.body.includes("1e18"),
  usage_nan: (seen) => seen.body.includes("NaN"),
  usage_absent: (seen) => sound(seen) && !seen.body.includes('"usage"'),
  usage_twice: (seen) => seen.body.toString("utf8").split('"usage":{').length === 3,
  usage_first: (seen) => seen.body.indexOf('"usage":{') < seen.body.indexOf('"content":"The'),
  done_twice: sound,
  done_never: (seen) => sound(seen) && !seen.body.includes("data: [DONE]\n\n"),
  finish_unknown: (seen) => seen.body.includes('"finish_reason":"banana"'),
  duplicate_ids: (seen) => seen.body.includes('"id":"chatcmpl-same"'),
  clock_skew: (seen) => seen.body.includes("4070908800") && (seen.headers.date ?? "").includes("1970"),
};

test("there are 38 faults, and each does on the wire what its row says", async () => {
  assert.equal(faults.length, 38);
  const wrong: string[] = [];
  for (const row of [...faults, ...callerFaults]) {
    if (row.make === undefined) continue;
    const expected = expectations[row.name] ?? status(Number(/\d{3}/.exec(row.name)?.[0]));
    for (const isStream of [true, false]) {
      const isSilent = ["hang_accept", "hang_headers", "one_byte_per_second"].includes(row.name);
      const seen = await ask({ fault: row.name }, isStream, upstream, isSilent ? 1500 : 30_000, enoughBytes);
      if (!expected(seen))
        wrong.push(`${row.name} ${isStream}: ${seen.status} ${seen.body.length} ${seen.problem}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("errors repeat the credential and the address, so that a leak can be found", async () => {
  const seen = await ask({ fault: "status_401" }, false);
  assert.match(seen.body.toString("utf8"), /org-LeakedOrganization.*Bearer sk-direct.*127\.0\.0\.1/);
});

test("a caller that leaves is in the journal as cancelled, before and after the head", async () => {
  const on = await startUpstream();
  for (const plan of [
    { id: "early", headersMs: 60_000 },
    { id: "late", gapMs: 60_000 },
    { id: "hung", fault: "hang_accept" },
  ]) {
    await ask(plan, true, on, 100);
    assert.ok(await eventually(() => on.findCall(plan.id)?.end === "cancelled", 2000), plan.id);
  }
  assert.deepEqual(on.state().active, []);
  await on.stop();
});

test("the journal file tells the same as memory", async () => {
  const file = join(tmpdir(), `rig-journal-${process.pid}.jsonl`);
  const on = await startUpstream({ journal: file });
  await ask({ id: "one", keepBody: true }, true, on);
  await ask({ id: "two", cutEvent: 2 }, true, on);
  assert.ok(await eventually(() => on.findCall("two")?.end === "cut", 2000));
  assert.deepEqual(readJournal(file), JSON.parse(JSON.stringify(on.calls())));
  assert.equal(readFileSync(file, "utf8").split("\n").length, 5);
  await on.stop();
});

test("a model name can carry the plan", async () => {
  const body = JSON.stringify({ model: "rig.tokens=3.fault=status_503", messages: [] });
  const seen = await post({ url: `${upstream.baseUrl}/chat/completions`, key: "k", body });
  assert.equal(seen.status, 503);
});
