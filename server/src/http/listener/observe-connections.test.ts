/** The cost and result of reading the connection metrics. */
import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { test } from "node:test";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { observeConnections } from "./observe-connections.ts";

function textOf(registry: ReturnType<typeof createRegistry>): string {
  return registry
    .families("")
    .map(({ body }) => body)
    .join("");
}

test("connections are looked through once for all figures of a reading, and anew for the next", async () => {
  const registry = createRegistry();
  let looks = 0;
  observeConnections(registry, () => {
    looks += 1;
    return [{ open: 5, idle: 3, oldestIdleMs: 2_000, refused: looks }];
  });
  const text = textOf(registry);
  assert.equal(looks, 1);
  assert.match(text, /plaza_connections\{state="active"\} 2\n/);
  assert.match(text, /plaza_connections\{state="idle"\} 3\n/);
  assert.match(text, /plaza_connection_oldest_idle_seconds 2\n/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(textOf(registry), /plaza_connections_refused_total 2\n/);
});

test("open descriptors are counted", { skip: process.platform !== "linux" }, () => {
  const registry = createRegistry();
  observeConnections(registry, () => []);
  const count = (): number => Number(/process_open_fds (\d+)/.exec(textOf(registry))?.[1]);
  const before = count();
  const opened = Array.from({ length: 20 }, () => openSync("/dev/null", "r"));
  const after = count();
  for (const descriptor of opened) closeSync(descriptor);
  assert.equal(after - before, opened.length);
});
