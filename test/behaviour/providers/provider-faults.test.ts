/**
 * Every class of fault for every provider, in its upstream's format: the caller's answer, the next attempt,
 * the charge, and which deployments get no calls. One Plaza process with one mock; `provider-faults-table.ts`
 * has the table.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testingOf, wires } from "../../../server/src/providers/testing/all.ts";
import type { Outcome } from "../../../server/src/providers/testing/fault-outcomes.ts";
import type { Reply, Wire } from "../../../server/src/providers/testing/wire.ts";
import { inParallel, post, type Seen } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { type Product, type RequestShown, startProduct } from "../harness/product.ts";
import { faultRows } from "./provider-faults-table.ts";
import { type Mock, startMock } from "./provider-mock.ts";

interface Cell {
  readonly name: string;
  readonly place: string;
  readonly wire: Wire;
  readonly isStream: boolean;
  readonly hasFallback: boolean;
  readonly reply: (wire: Wire, isStream: boolean) => Reply;
  readonly outcome: Outcome;
}

const cells: readonly Cell[] = faultRows
  .flatMap((row) =>
    [true, false].flatMap((isStream) => {
      if (row.only !== undefined && (row.only === "stream") !== isStream) return [];
      return [false, true].map((hasFallback) => ({ ...row, isStream, hasFallback }));
    }),
  )
  .map(({ fault, provider, ...row }, index) => ({
    ...row,
    name: `${provider.id}: ${fault} (${row.isStream ? "stream" : "whole"}, ${row.hasFallback ? "with another" : "alone"})`,
    place: `c${index}`,
    wire: provider.wire,
  }));

const byPlace = new Map(cells.map((cell) => [cell.place, cell]));
const soundText = "sound answer";

/** The provider of the fallback: never the same as the failing one. */
const otherOf = (wire: Wire): Wire => wires[(wires.indexOf(wire) + 1) % wires.length] ?? assert.fail();

/** The provider of the upstream at a path. */
const wireAt = (place: string): Wire | undefined =>
  place.startsWith("sound-") ? testingOf(place.slice("sound-".length)).wire : byPlace.get(place)?.wire;

function replyTo(place: string, isStream: boolean): Reply | undefined {
  if (place.startsWith("sound-")) {
    const wire = wireAt(place) ?? assert.fail(place);
    if (!isStream) return { body: wire.whole(soundText) };
    const { begin, rest } = wire.stream(soundText);
    return { headers: { "content-type": wire.streamType }, body: Buffer.concat([begin, rest]) };
  }
  const cell = byPlace.get(place);
  return cell?.reply(cell.wire, isStream);
}

const timeouts = { connect: "2s", firstToken: "800ms", idle: "800ms", total: "4s" };

function upstream(id: string, wire: Wire, origin: string) {
  const { options } = wire;
  return {
    id,
    provider: wire.id,
    baseUrl: `${origin}/${id}${wire.basePath}`,
    credentials: [wire.credential],
    timeouts,
    ...(options === undefined ? {} : { options }),
  };
}

function catalogAt(origin: string) {
  return {
    upstreams: [
      ...cells.map(({ place, wire }) => upstream(place, wire, origin)),
      ...wires.map((wire) => upstream(`sound-${wire.id}`, wire, origin)),
    ],
    models: [
      ...cells.map(({ place, wire, hasFallback }) => ({
        id: place,
        name: place,
        context: 100_000,
        maxOutput: 1_000,
        price: { input: "1.00", output: "2.00" },
        deployments: [
          { upstream: place, model: "m", priority: 1 },
          ...(hasFallback ? [{ upstream: `sound-${otherOf(wire).id}`, model: "m", priority: 2 }] : []),
        ],
      })),
      ...wires.map(({ id }) => ({
        id: `sound-${id}`,
        name: id,
        maxOutput: 1_000,
        price: { input: "1.00", output: "2.00" },
        deployments: [{ upstream: `sound-${id}`, model: "m" }],
      })),
    ],
    limits: { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000, concurrency: 10_000 },
  };
}

type Row = RequestShown & { readonly charge: string };

let mock: Mock;
let product: Product;
let rows = new Map<string, Row>();
const seen = new Map<string, Seen>();
const asks = [
  ...cells.map(({ place, isStream }) => ({ model: place, isStream })),
  ...wires.flatMap(({ id }) => [true, false].map((isStream) => ({ model: `sound-${id}`, isStream }))),
];

before(async () => {
  mock = await startMock(replyTo, wireAt);
  product = await startProduct({ catalog: catalogAt(mock.origin) });
  // Start slow cases first, so that they do not end last.
  const stalls = asks.filter(({ model }) => byPlace.get(model)?.name.includes("stall"));
  await inParallel(
    [...stalls, ...asks.filter((ask) => !stalls.includes(ask))],
    48,
    async ({ model, isStream }) => {
      const body = JSON.stringify({
        model,
        stream: isStream,
        messages: [{ role: "user", content: "hello" }],
      });
      const answer = await post({ url: product.chatUrl, key: product.firstKey, body, withinMs: 15_000 });
      seen.set(`${model} ${isStream}`, answer);
    },
  );
  await eventually(async () => {
    const all = (await product.requests(asks.length + 10)) as Row[];
    rows = new Map(all.map((row) => [row.id, row]));
    return rows.size >= asks.length;
  }, 5_000);
});
after(async () => {
  await product?.stop();
  await mock?.stop();
});

const answerTo = (model: string, isStream: boolean): Seen =>
  seen.get(`${model} ${isStream}`) ?? assert.fail(`no call of ${model}`);
const rowOf = ({ headers }: Seen): Row => rows.get(String(headers["x-request-id"])) ?? assert.fail("no row");

/** Ten input tokens and five output tokens. */
const exactCharge = "0.00002";

function assertSound(answer: Seen, isStream: boolean): void {
  const text = answer.body.toString("utf8");
  assert.equal(answer.status, 200, text);
  assert.ok(text.includes(soundText), text);
  assert.equal(isStream, text.endsWith("data: [DONE]\n\n"), text);
  const { charge, state, usageSource } = rowOf(answer);
  assert.deepEqual([charge, state, usageSource], [exactCharge, "complete", "exact"]);
}

function codeIn(text: string, isInBand: boolean): unknown {
  const data = isInBand ? /^(?:event: error\n)?data: (\{"error".*)$/m.exec(text)?.[1] : text;
  return (JSON.parse(data ?? "null") as { error?: { code?: string } } | null)?.error?.code;
}

function assertOutcome({ outcome, place, isStream, hasFallback }: Cell, answer: Seen): void {
  const text = answer.body.toString("utf8");
  const row = rowOf(answer);
  const { status, code, retryAfter, isInBand = false } = outcome;
  assert.deepEqual(
    [answer.status, code === undefined ? undefined : codeIn(text, isInBand)],
    [status, code],
    text,
  );
  assert.equal(row.attempts, outcome.attempts, "attempts");
  assert.equal(mock.calls(place), outcome.attempts, "calls of the upstream");
  if (hasFallback) return;
  if (retryAfter !== undefined) {
    const told = Number(answer.headers["retry-after"]);
    assert.ok(told === retryAfter || told === retryAfter - 1, `Retry-After is ${told}, not ${retryAfter}`);
  }
  if (isInBand) {
    assert.ok(!text.includes("[DONE]") && text.includes("partial words"), text);
    assert.equal(row.state, "incomplete");
    const how = [row.usageSource, row.charge];
    if (outcome.isCounted === true) assert.deepEqual(how, ["exact", exactCharge]);
    else assert.ok(row.usageSource === "estimated" && Number(row.charge) > 0, String(how));
  } else if (code !== undefined) {
    assert.deepEqual([row.state, row.charge, row.usageSource], ["failed", "0.00", "none"]);
  } else {
    assert.match(text, /"finish_reason":"content_filter"/);
    assert.equal(isStream, text.endsWith("data: [DONE]\n\n"));
    assert.equal(row.state, "complete");
  }
}

/** Log lines about a disabled credential or deployment of an upstream. */
const eventsOf = (place: string): string[] =>
  product
    .logs()
    .split("\n")
    .filter((line) => line.includes(`"upstream":"${place}"`))
    .flatMap((line) => /"event":"((?:credential|deployment)_(?:out|resting|ejected))"/.exec(line)?.[1] ?? []);

test("a sound upstream of each provider answers, and its usage is charged", () => {
  for (const { id } of wires)
    for (const isStream of [true, false]) assertSound(answerTo(`sound-${id}`, isStream), isStream);
});

for (const cell of cells) {
  test(cell.name, () => {
    const { place, isStream, hasFallback, outcome } = cell;
    const answer = answerTo(place, isStream);
    if (hasFallback && outcome.fallsBack) {
      // The caller has received nothing of a whole answer, so the successful attempt is charged.
      assertSound(answer, isStream);
      assert.equal(rowOf(answer).attempts, 2);
      assert.equal(mock.calls(place), 1);
    } else assertOutcome(cell, answer);
    assert.deepEqual(eventsOf(place), outcome.event === undefined ? [] : [outcome.event]);
    // No upstream address and no operator credential is shown.
    const shown = `${answer.rawHeaders.join("\n")}\n${answer.body.toString("utf8")}`;
    assert.ok(
      !shown.includes(cell.wire.credential.slice(0, 16)) && !shown.includes(mock.origin.slice(7)),
      shown,
    );
  });
}

for (const { id } of wires) {
  test(`${id}: a deployment that is broken five times in a row is ejected`, async () => {
    const broken = cells.find(({ name }) => name === `${id}: broken (stream, alone)`) ?? assert.fail();
    const body = JSON.stringify({ model: broken.place, messages: [{ role: "user", content: "hello" }] });
    // Two attempts were made before.
    for (let calls = 0; calls < 2; calls += 1)
      await post({ url: product.chatUrl, key: product.firstKey, body });
    assert.ok(
      await eventually(() => eventsOf(broken.place).includes("deployment_ejected"), 2_000),
      product.logs().slice(-2_000),
    );
    assert.equal(mock.calls(broken.place) >= 5, true);
  });
}
