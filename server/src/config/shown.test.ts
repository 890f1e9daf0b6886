import assert from "node:assert/strict";
import { test } from "node:test";
import { listSettings, readConfig } from "./config.ts";
import { settingsInForce } from "./shown.ts";

function accepted(env: Record<string, string>, flags: Record<string, string>) {
  const result = readConfig({ env, flags });
  assert.ok(result.ok);
  return result.config;
}

test("what is in force is told with where it came from, and without secrets", () => {
  const password = "hunter2";
  const env = {
    PLAZA_LOG_LEVEL: "warn",
    PLAZA_DATABASE: `postgres://u:${password}@db.example/plaza?password=${password}`,
    PLAZA_OPERATOR_TOKEN: `${password}-${"x".repeat(20)}`,
    OTEL_EXPORTER_OTLP_HEADERS: `a=${password}`,
    PLAZA_EGRESS_PROXY: `http://u:${password}@proxy.example:3128`,
    PLAZA_UPSTREAM_PROXIES: `a=http://u:${password}@proxy.example:3128`,
  };
  const all = settingsInForce(accepted(env, { port: "0" }));
  assert.ok(!JSON.stringify(all).includes(password));
  const told = new Map(all.map(({ name, value, from }) => [name, [value, from]]));
  assert.equal(told.size, listSettings().length);
  assert.deepEqual(
    (
      ["port", "logLevel", "database", "operatorToken", "otlpHeaders", "bodyBytesMax", "catalog"] as const
    ).map((name) => told.get(name)),
    [
      ["0", "--port"],
      ["warn", "PLAZA_LOG_LEVEL"],
      ["postgres://db.example/plaza", "PLAZA_DATABASE"],
      [undefined, "PLAZA_OPERATOR_TOKEN"],
      [undefined, "OTEL_EXPORTER_OTLP_HEADERS"],
      ["32MiB", undefined],
      [undefined, undefined],
    ],
  );
  const sqlite = settingsInForce(accepted({}, { dataDir: "/d" })).find(({ name }) => name === "database");
  assert.equal(sqlite?.value, "sqlite:/d/plaza.sqlite");
});
