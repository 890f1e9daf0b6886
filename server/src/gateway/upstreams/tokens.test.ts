import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { createHttpClient } from "../../lib/net/http-client.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { TokenScheme } from "../../providers/provider.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const upstream: Upstream = {
  id: "up",
  provider: "test",
  baseUrl: "https://upstream.test/v1",
  credentials: ["secret"],
  timeouts: defaultTimeouts,
};

interface Issuer {
  readonly scheme: TokenScheme;
  readonly asked: string[];
}

interface FakeClock {
  nowMs: number;
  wallMs(): number;
  elapsedMs(): number;
}

const fakeClock = (): FakeClock => ({
  nowMs: 1_000_000,
  wallMs() {
    return this.nowMs;
  },
  elapsedMs() {
    return this.nowMs;
  },
});

/** A token scheme whose issuer runs in the test. The request body is `credential@now`. */
async function withIssuer(answer: RequestListener, work: (issuer: Issuer) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      asked.push(text);
      answer(request, response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const scheme: TokenScheme = {
    call: (credential, _upstream, nowMs) =>
      credential.startsWith("plain")
        ? undefined
        : {
            origin: `http://127.0.0.1:${port}`,
            path: "/token",
            headers: ["content-type", "text/plain"],
            body: Buffer.from(`${credential}@${nowMs}`),
          },
    read(body) {
      const { token, seconds } = JSON.parse(body) as { token?: string; seconds: number };
      return token === undefined ? undefined : { token, expiresInSeconds: seconds };
    },
  };
  try {
    await work({ scheme, asked });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** An issuer that numbers its tokens. */
function counting(seconds = 3_600): RequestListener {
  let given = 0;
  return (_request, response) => {
    given += 1;
    response.end(JSON.stringify({ token: `token-${given}`, seconds }));
  };
}

async function refusal(tokens: Tokens, scheme: TokenScheme, credential = "secret"): Promise<Fault> {
  const outcome = await tokens.get(scheme, upstream, credential);
  assert.ok(typeof outcome !== "string", String(outcome));
  return outcome;
}

test("a token is asked for once, kept, and renewed two minutes before its end", async () => {
  await withIssuer(counting(3_600), async ({ scheme, asked }) => {
    const clock = fakeClock();
    const tokens = createTokens(clock, createHttpClient);
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-1");
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1", "known: at once");
    clock.nowMs += 3_479_999;
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1");
    clock.nowMs += 1;
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-2");
    assert.deepEqual(asked, ["secret@1000000", "secret@4480000"]);
  });
});

test("a token of a few seconds is used for one, not asked for at every call", async () => {
  await withIssuer(counting(5), async ({ scheme, asked }) => {
    const clock = fakeClock();
    const tokens = createTokens(clock, createHttpClient);
    await tokens.get(scheme, upstream, "secret");
    clock.nowMs += 999;
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1");
    clock.nowMs += 1;
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-2");
    assert.equal(asked.length, 2);
  });
});

test("a token for longer than a day is renewed after a day", async () => {
  await withIssuer(counting(10 ** 9), async ({ scheme }) => {
    const clock = fakeClock();
    const tokens = createTokens(clock, createHttpClient);
    await tokens.get(scheme, upstream, "secret");
    clock.nowMs += 24 * 3_600_000;
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-2");
  });
});

test("a token the upstream refused is forgotten, and only that one", async () => {
  await withIssuer(counting(), async ({ scheme, asked }) => {
    const tokens = createTokens(fakeClock(), createHttpClient);
    await tokens.get(scheme, upstream, "secret");
    tokens.forget(upstream, "other");
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1");
    tokens.forget(upstream, "secret");
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-2");
    assert.equal(asked.length, 2);
  });
});

test("all who need it at once share one call; other credentials, upstreams and options have their own", async () => {
  await withIssuer(counting(), async ({ scheme, asked }) => {
    const tokens = createTokens(fakeClock(), createHttpClient);
    const same = await Promise.all(Array.from({ length: 20 }, () => tokens.get(scheme, upstream, "secret")));
    assert.deepEqual(new Set(same), new Set(["token-1"]));
    assert.equal(asked.length, 1);
    assert.equal(await tokens.get(scheme, upstream, "other"), "token-2");
    assert.equal(await tokens.get(scheme, { ...upstream, id: "up2" }, "secret"), "token-3");
    assert.equal(await tokens.get(scheme, { ...upstream, options: { scope: "x" } }, "secret"), "token-4");
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1");
  });
});

test("a credential that needs no exchange is its own token", async () => {
  await withIssuer(counting(), async ({ scheme, asked }) => {
    const tokens = createTokens(fakeClock(), createHttpClient);
    assert.equal(tokens.get(scheme, upstream, "plain-key"), "plain-key");
    assert.equal(asked.length, 0);
  });
});

test("a refusal is the credential's, is not asked for again for five seconds, and then may be over", async () => {
  let isRefusing = true;
  const answer: RequestListener = (_request, response) => {
    if (isRefusing) response.writeHead(400).end('{"error":"invalid_grant","error_description":"secret"}');
    else response.end('{"token":"t","seconds":3600}');
  };
  await withIssuer(answer, async ({ scheme, asked }) => {
    const clock = fakeClock();
    const tokens = createTokens(clock, createHttpClient);
    const fault = await refusal(tokens, scheme);
    assert.equal(fault.kind, "upstream_auth");
    assert.equal(fault.status, 400);
    assert.doesNotMatch(JSON.stringify(fault), /secret|grant/);
    clock.nowMs += 4_999;
    assert.deepEqual(await refusal(tokens, scheme), fault);
    assert.equal(asked.length, 1);
    isRefusing = false;
    clock.nowMs += 1;
    assert.equal(await tokens.get(scheme, upstream, "secret"), "t");
  });
});

for (const [name, status, body, kind] of [
  ["an issuer that is ill", 503, "", "server"],
  ["an issuer that is asked too often", 429, "", "server"],
  ["a forbidden account", 403, "{}", "upstream_auth"],
  ["a redirect is not followed", 302, "{}", "upstream_auth"],
  ["a 200 without a token", 200, "{}", "upstream_auth"],
  ["a 200 that is no JSON", 200, "<html>", "upstream_auth"],
] as const) {
  test(`${name}: ${kind}`, async () => {
    const answer: RequestListener = (_request, response) => {
      response.writeHead(status, { location: "/elsewhere" }).end(body);
    };
    await withIssuer(answer, async ({ scheme, asked }) => {
      const fault = await refusal(createTokens(fakeClock(), createHttpClient), scheme);
      assert.equal(fault.kind, kind);
      assert.equal(fault.status, status);
      assert.equal(asked.length, 1);
    });
  });
}

test("an issuer that hangs, before its head or after, is given up; the next call asks again", async () => {
  let mood: "silent" | "halting" | "well" = "silent";
  const gone: Promise<unknown>[] = [];
  const answer: RequestListener = (_request, response) => {
    gone.push(once(response, "close"));
    if (mood === "halting") response.writeHead(200).write('{"tok');
    if (mood === "well") response.end('{"token":"t","seconds":3600}');
  };
  await withIssuer(answer, async ({ scheme }) => {
    const clock = fakeClock();
    const tokens = createTokens(clock, createHttpClient, { answerMs: 100 });
    for (const ill of ["silent", "halting"] as const) {
      mood = ill;
      assert.equal((await refusal(tokens, scheme)).kind, "network");
      clock.nowMs += 5_000;
    }
    // All connections were closed.
    await Promise.all(gone);
    mood = "well";
    assert.equal(await createTokens(clock, createHttpClient).get(scheme, upstream, "secret"), "t");
  });
});

test("an issuer that breaks off, that is not there, or that never stops talking", async () => {
  const cut: RequestListener = (_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    response.socket?.destroy();
  };
  await withIssuer(cut, async ({ scheme }) => {
    assert.equal((await refusal(createTokens(fakeClock(), createHttpClient), scheme)).kind, "network");
  });
  const endless: RequestListener = (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(" ".repeat(65_536)));
    };
    response.on("drain", more).on("error", () => {});
    more();
  };
  await withIssuer(endless, async ({ scheme }) => {
    assert.equal((await refusal(createTokens(fakeClock(), createHttpClient), scheme)).kind, "network");
  });
  let closed: TokenScheme | undefined;
  await withIssuer(counting(), async ({ scheme }) => {
    closed = scheme;
  });
  assert.equal(
    (await refusal(createTokens(fakeClock(), createHttpClient), closed ?? assert.fail())).kind,
    "network",
  );
});

test("a credential that is broken fails the call alone, and its words are nobody's", async () => {
  const broken: TokenScheme = {
    call() {
      throw new SyntaxError("Unexpected token in secret");
    },
    read: () => undefined,
  };
  const tokens = createTokens(fakeClock(), createHttpClient);
  const fault = await refusal(tokens, broken);
  assert.equal(fault.kind, "upstream_auth");
  assert.doesNotMatch(JSON.stringify(fault), /secret/);
  const unreadable: TokenScheme = {
    call: () => ({
      origin: "http://127.0.0.1:1",
      path: "/",
      headers: ["bad header", "x\ny"],
      body: Buffer.of(),
    }),
    read: () => undefined,
  };
  assert.equal((await refusal(tokens, unreadable, "other")).kind, "network");
});
