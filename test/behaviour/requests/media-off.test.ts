/**
 * Files given by URL while fetching is off, as docs/operate/security.md describes: refused by name, without
 * any upstream call.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testedProviders } from "../../../server/src/providers/testing/all.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";

test("a file by address is refused with the place it stands in, at every provider that needs it inline", async (context) => {
  const providers = testedProviders.filter(
    ({ descriptor: { lacks = [] } }) => lacks.includes("files by address") && !lacks.includes("images"),
  );
  assert.ok(providers.length > 0);
  const app = await startApp({
    catalog: {
      upstreams: providers.map(({ id, wire: { basePath, credential, options } }) =>
        upstreamAt(id, `http://127.0.0.1:1${basePath}`, {
          ...{ provider: id, credentials: [credential] },
          ...(options === undefined ? {} : { options }),
        }),
      ),
      models: providers.map(({ id }) => modelOn(id, [id])),
      limits: {},
    },
  });
  context.after(() => app.stop());
  const { key } = await app.newAccount("5");
  for (const { id: model } of providers) {
    const content = [
      { type: "text", text: "what is it?" },
      { type: "image_url", image_url: { url: "https://files.test/a.png" } },
    ];
    const answer = await fetch(app.chatUrl, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
    });
    const { error } = (await answer.json()) as { error: { code: string; param: string; message: string } };
    assert.deepEqual(
      [answer.status, error.code, error.param],
      [400, "unsupported_parameter", "messages[0].content[1].image_url.url"],
      `${model}: ${error.message}`,
    );
  }
});
