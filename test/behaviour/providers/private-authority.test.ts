/**
 * An upstream whose certificate an authority of the operator's signed: called once `NODE_EXTRA_CA_CERTS`
 * names the authority, and not before, on both transports.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { authority, localhostCertificate, localhostKey } from "../harness/private-authority.ts";
import { startProduct, temporaryFolder } from "../harness/product.ts";

const answered = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

for (const transport of ["own", "node"]) {
  test(`${transport}: a private authority is trusted if NODE_EXTRA_CA_CERTS names it`, async (t) => {
    let calls = 0;
    const server = createServer({ cert: localhostCertificate, key: localhostKey }, (request, response) => {
      calls += 1;
      request.resume();
      response.writeHead(200, { "content-type": "application/json" }).end(answered);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const file = join(temporaryFolder(), "authority.pem");
    writeFileSync(file, authority);
    const ask = async (env: Readonly<Record<string, string>>) => {
      const product = await startProduct({
        catalog: {
          upstreams: [
            {
              id: "private",
              provider: "openai",
              baseUrl: `https://localhost:${port}/v1`,
              credentials: ["sk-1"],
            },
          ],
          models: [
            {
              id: "m",
              name: "m",
              price: { input: "0", output: "0" },
              deployments: [{ upstream: "private", model: "m" }],
            },
          ],
        },
        env: { PLAZA_TRANSPORT: transport, ...env },
      });
      try {
        const { key } = await product.createKey(await product.createAccount());
        const response = await fetch(product.chatUrl, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
        });
        return response.status;
      } finally {
        await product.stop();
      }
    };
    assert.equal(await ask({}), 502);
    assert.equal(calls, 0);
    assert.equal(await ask({ NODE_EXTRA_CA_CERTS: file }), 200);
    assert.equal(calls, 1);
  });
}
