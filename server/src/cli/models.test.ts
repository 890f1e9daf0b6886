import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogFile, commandLine } from "./test-command-line.ts";

test("models: says how to get some; then facts as they are, unknown as unknown", async () => {
  const { run, json } = commandLine({ UPSTREAM_KEY: "sk-upstream-secret" });
  assert.match((await run("models")).out, /no models yet.*plaza connect/);
  assert.deepEqual((await json("models")).value, { object: "list", data: [] });
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
