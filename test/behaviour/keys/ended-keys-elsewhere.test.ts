/**
 * A key revoked at one process ends its streams at all others within a second, in-band and charged; another
 * key's stream continues. Real processes on one database. Stalls of the machine do not count.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sharedPostgres } from "../../postgres/shared.ts";
import { monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { type StallWatch, startStallWatch } from "../../rigs/harness/measure/stall-watch.ts";
import { assertErrorBody, isFinished } from "../harness/caller.ts";
import { model, openaiUpstream } from "../harness/catalogs.ts";
import { assertEndedInTime, type EndingCall, startEndingCall } from "../harness/ending-calls.ts";
import { chunk } from "../harness/openai-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const operatorToken = "an-operator-token-of-the-tests-0123456789";

let upstream: ScriptedUpstream;
let watch: StallWatch;
before(async () => {
  upstream = await startScriptedUpstream();
  watch = await startStallWatch();
});
after(async () => {
  await upstream.stop();
  await watch?.stop();
});

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const words = ["one", " two", " six"].map((content) => chunk({ content }));

const startStream = ({ chatUrl }: Product, key: string): EndingCall =>
  startEndingCall("six", {
    url: chatUrl,
    key,
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], stream: true }),
  });

/** Ends a key through a process's API, as the console does. */
async function revokeAt({ origin }: Product, accountId: string, id: string): Promise<void> {
  const { status } = await fetch(`${origin}/api/operator/accounts/${accountId}/keys/${id}/revoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}` },
    signal: AbortSignal.timeout(10_000),
  });
  assert.ok(status === 200 || status === 204, String(status));
}

for (const database of ["sqlite", "postgres"] as const) {
  describe(`a key revoked at another process (${database})`, () => {
    let first: Product;
    let second: Product;
    let accountId = "";

    before(async () => {
      const catalog = {
        upstreams: [openaiUpstream("main", upstream.baseUrl)],
        models: [model("m", ["main", "m"])],
      };
      const url =
        database === "sqlite" ? {} : { PLAZA_DATABASE: await (await sharedPostgres()).newDatabase() };
      const env = { PLAZA_OPERATOR_TOKEN: operatorToken, ...url };
      first = await startProduct({ catalog, env });
      second = await startProduct({ catalog, env, folder: first.folder });
      accountId = await first.createAccount();
    });
    after(async () => {
      await second?.stop();
      await first?.stop();
    });

    const ways: Record<string, (id: string) => Promise<unknown>> = {
      "the other's API": (id) => revokeAt(second, accountId, id),
      "the command line": (id) => second.command(["key", "revoke", id]),
    };
    for (const [way, revoke] of Object.entries(ways)) {
      test(`by ${way}: its streams end within a second, and are charged; others go on`, async (context) => {
        const gate = Promise.withResolvers<void>();
        context.after(() => gate.resolve());
        upstream.answerWith({
          events: [
            chunk({ role: "assistant", content: "" }),
            ...words,
            gate.promise,
            chunk({}, "stop"),
            { ...chunk({}), choices: [], usage },
            "[DONE]",
          ],
        });
        const ending = await first.createKey(accountId);
        const staying = await first.createKey(accountId);
        const [ended, ...going] = [
          startStream(first, ending.key),
          startStream(first, staying.key),
          startStream(second, staying.key),
        ] as const;
        await Promise.all([ended, ...going].map(({ flowing }) => flowing));
        await revoke(ending.id);
        const revokedMs = monotonicMs();
        const seen = await ended.seen;
        await assertEndedInTime(watch, revokedMs, seen);
        const text = seen.body.toString("utf8");
        assert.ok(!isFinished(text));
        const last = String(text.trim().split("\n\n").at(-1)).replace(/^data: /, "");
        assertErrorBody(last, { code: "invalid_api_key" });
        const row = await first.request(String(seen.headers["x-request-id"]));
        assert.deepEqual([row.state, row.errorCode], ["incomplete", "invalid_api_key"]);
        assert.ok(row.outputTokens > 0);
        gate.resolve();
        for (const { seen: whole } of going) assert.ok(isFinished((await whole).body.toString("utf8")));
      });
    }
  });
}
