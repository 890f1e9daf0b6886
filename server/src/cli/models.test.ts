import assert from "node:assert/strict";
import { test } from "node:test";
import { priceSourceOf } from "../domain/catalog/model-catalog.ts";
import { systemClock } from "../lib/time/clock.ts";
import { openModelCatalog } from "../start/model-catalog-files.ts";
import { catalogFile, commandLine } from "./testing/test-command-line.ts";

test("models: says how to get some; then facts as they are, unknown as unknown", async () => {
  const { run, json } = commandLine({ UPSTREAM_KEY: "sk-upstream-secret" });
  assert.match((await run("models")).out, /No models yet.*plaza connect/);
  assert.deepEqual((await json("models")).value, {
    object: "list",
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  });
  assert.equal((await run("apply", catalogFile())).status, 0);
  const { out } = await run("models");
  assert.match(out, /gpt-5-mini +gpt-5-mini +\? +\? +\? +0\.25 +2\.00 +available/);
  const { value } = await json("models");
  const [model] = value.data;
  assert.equal(model.id, "gpt-5-mini");
  assert.equal(model.context_length, null);
  assert.equal(model.pricing.input, "0.25");
  assert.doesNotMatch(JSON.stringify(value), /sk-upstream-secret/);
});

const connected = `upstreams:
  - { id: main, provider: openai, baseUrl: "https://api.openai.com/v1", credentials: ["\${UPSTREAM_KEY}"] }
models:
  - id: old
    price: { input: "OLD_IN", output: "OLD_OUT" }
    deployments: [{ upstream: main, model: OLD_ID }]
  - id: mine
    price: { input: "9", output: "9" }
    deployments: [{ upstream: main, model: OLD_ID }]
`;

test("models and model: a disabled model is marked in the list, left out of the JSON, and the file's is the file's", async () => {
  const { run, json } = commandLine({ UPSTREAM_KEY: "sk-upstream-secret" });
  const text = connected
    .replaceAll(/OLD_IN|OLD_OUT/g, "1")
    .replace("  - id: mine", "  - id: mine\n    disabled: true");
  assert.equal((await run("apply", catalogFile(text))).status, 0);
  const { out } = await run("models");
  assert.match(out, /mine .* disabled +chat/);
  assert.match(out, /2 models; 1 disabled\.\n/);
  assert.deepEqual(
    (await json("models")).value.data.map(({ id }: { id: string }) => id),
    ["old"],
  );
  assert.match((await run("doctor")).out, /1 model; 1 disabled/);
  assert.deepEqual((await json("model", "disable", "mine")).value, { id: "mine", disabled: true });
  assert.equal((await json("model", "enable", "mine")).value.error.code, "managed_by_file");
  assert.equal((await json("model", "disable", "gone")).value.error.code, "not_found");
});

test("models: says which prices are the shipped catalog's of long ago, in JSON nothing but the facts", async () => {
  const row = openModelCatalog()
    .listModels("openai")
    .find(({ price, laterPrices }) => price && Object.keys(price).length === 2 && !laterPrices);
  assert.ok(row?.price !== undefined);
  const text = connected
    .replaceAll("OLD_ID", row.id)
    .replace("OLD_IN", row.price.input)
    .replace("OLD_OUT", row.price.output);
  const { date } = priceSourceOf(row);
  let nowMs = Date.parse(date) + 60 * 86_400_000;
  const clock = { ...systemClock, wallMs: () => nowMs };
  const { run, json } = commandLine({ UPSTREAM_KEY: "sk-upstream-secret" }, clock);
  assert.equal((await run("apply", catalogFile(text))).status, 0);
  assert.doesNotMatch((await run("models")).out, /older than/);
  nowMs += 86_400_000;
  const said = `1 price is the shipped catalog's and older than 60 days; compare with the vendors' pages: old (${date}).\n`;
  assert.ok((await run("models")).out.endsWith(`2 models.\n${said}`));
  assert.deepEqual(Object.keys((await json("models")).value), [
    "object",
    "data",
    "has_more",
    "first_id",
    "last_id",
  ]);
});
