/** Limits of accounts and the catalog, changed while the gateway runs, as `GET /v1/models` tells them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { eventually } from "../rigs/harness/clock.ts";
import { modelOn, startApp, type TestApp, upstreamAt } from "./app-in-process.ts";

const catalog = (limits: Catalog["limits"]): Catalog => ({
  upstreams: [upstreamAt("up", "http://127.0.0.1:9/v1")],
  models: [modelOn("m", ["up"], { limits: { concurrency: 4 } })],
  limits,
});

let app: TestApp;
before(async () => {
  app = await startApp({ catalog: catalog({ requestsPerMinute: 60 }) });
});
after(() => app.stop());

test("an account's own limits and the catalog's reach a running process", async () => {
  const { accountId, key } = await app.newAccount("1.00");
  const seen = async () => {
    const answer = await fetch(`${app.origin}/v1/models/m`, { headers: { authorization: `Bearer ${key}` } });
    const { limits } = (await answer.json()) as { limits: Record<string, number | null> };
    return JSON.stringify(Object.values(limits));
  };
  const becomes = async (expected: (number | null)[]) => {
    const text = JSON.stringify(expected);
    assert.ok(await eventually(async () => (await seen()) === text, 5_000), `${await seen()} is not ${text}`);
  };
  await becomes([60, null, 4]);
  await app.store.setAccountLimits(accountId, { requestsPerMinute: 600, concurrency: 2 });
  await becomes([600, null, 2]);
  await app.store.applyCatalog(catalog({ requestsPerMinute: 30, tokensPerMinute: 0 }));
  await becomes([600, 0, 2]);
  await app.store.setAccountLimits(accountId, { requestsPerMinute: null, concurrency: null });
  await becomes([30, 0, 4]);
});
