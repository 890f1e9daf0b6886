import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { defaultTimeouts, type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { message, textOf } from "@plaza/contract/messages/message.ts";
import { IdentityFailure } from "../../identity/failure.ts";
import type { Found } from "../../identity/machine-identity.ts";
import { createHttpClient } from "../../lib/net/http-client.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { TokenScheme } from "../../providers/provider.ts";
import { createTokens, type Tokens, type TokensOptions } from "./tokens.ts";

const upstream: Upstream = {
  id: "up",
  provider: "test",
  baseUrl: "https://upstream.test/v1",
  credentials: ["secret"],
  timeouts: defaultTimeouts,
};

const tokensAt = (clock: FakeClock, more: Partial<TokensOptions> = {}): Tokens =>
  createTokens({
    ...{ clock, createClient: createHttpClient, log: { warn() {} } },
    identity: { get: () => assert.fail("nobody asks for the machine's identity") },
    ...more,
  });

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

/** Resolves once it is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !isSo(); turn++) await setTimeout(1);
  assert.ok(isSo());
}

async function refusal(tokens: Tokens, scheme: TokenScheme, credential = "secret"): Promise<Fault> {
  const outcome = await tokens.get(scheme, upstream, credential);
  assert.ok(typeof outcome !== "string", String(outcome));
  return outcome;
}

test("a token is asked for once, kept, and renewed two minutes before its end", async () => {
  await withIssuer(counting(3_600), async ({ scheme, asked }) => {
    const clock = fakeClock();
    const tokens = tokensAt(clock);
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-1");
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1", "known: at once");
    clock.nowMs += 3_479_999;
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1");
    clock.nowMs += 1;
    assert.equal(tokens.get(scheme, upstream, "secret"), "token-1", "good until the new one is there");
    await until(() => tokens.get(scheme, upstream, "secret") === "token-2");
    assert.deepEqual(asked, ["secret@1000000", "secret@4480000"]);
  });
});

test("while it cannot be renewed it is used to its end, then the reason is given, then it may be over", async () => {
  let isWell = true;
  const answer: RequestListener = (_request, response) => {
    if (isWell) response.end('{"token":"t","seconds":3600}');
    else response.writeHead(503).end();
  };
  await withIssuer(answer, async ({ scheme, asked }) => {
    const clock = fakeClock();
    const lines: unknown[] = [];
    const tokens = tokensAt(clock, { log: { warn: (event, fields) => lines.push({ event, ...fields }) } });
    await tokens.get(scheme, upstream, "secret");
    isWell = false;
    clock.nowMs += 3_480_000;
    for (let call = 0; call < 20; call++) assert.equal(tokens.get(scheme, upstream, "secret"), "t");
    await until(() => lines.length === 1);
    assert.equal(asked.length, 2, "calls share the renewal");
    assert.deepEqual(lines[0], {
      ...{ event: "token_not_renewed", upstream: "up", seconds: 110, status: 503 },
      note: "the token's issuer gave no token",
    });
    clock.nowMs += 4_999;
    assert.equal(tokens.get(scheme, upstream, "secret"), "t");
    assert.equal(asked.length, 2, "not asked at every call");
    clock.nowMs += 105_000;
    assert.equal(tokens.get(scheme, upstream, "secret"), "t");
    await until(() => lines.length === 2);
    clock.nowMs += 5_000;
    assert.equal((await refusal(tokens, scheme)).kind, "server", "its end has come");
    isWell = true;
    clock.nowMs += 5_000;
    assert.equal(await tokens.get(scheme, upstream, "secret"), "t");
  });
});

test("a token that the upstream rejects while it is renewed is not used again", async () => {
  const waiting: ServerResponse[] = [];
  const answer: RequestListener = (_request, response) => {
    if (waiting.push(response) === 1) response.end('{"token":"t","seconds":3600}');
  };
  await withIssuer(answer, async ({ scheme, asked }) => {
    const clock = fakeClock();
    const tokens = tokensAt(clock);
    await tokens.get(scheme, upstream, "secret");
    clock.nowMs += 3_500_000;
    assert.equal(tokens.get(scheme, upstream, "secret"), "t");
    await until(() => asked.length === 2);
    tokens.forget(upstream, "secret");
    const next = tokens.get(scheme, upstream, "secret");
    assert.ok(next instanceof Promise, "it waits for the new one");
    waiting[1]?.writeHead(400).end();
    assert.equal(((await next) as Fault).kind, "upstream_auth");
  });
});

test("a token of a few seconds is used for one, not asked for at every call", async () => {
  await withIssuer(counting(5), async ({ scheme, asked }) => {
    const clock = fakeClock();
    const tokens = tokensAt(clock);
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
    const tokens = tokensAt(clock);
    await tokens.get(scheme, upstream, "secret");
    clock.nowMs += 24 * 3_600_000;
    assert.equal(await tokens.get(scheme, upstream, "secret"), "token-2");
  });
});

test("a token the upstream refused is forgotten, and only that one", async () => {
  await withIssuer(counting(), async ({ scheme, asked }) => {
    const tokens = tokensAt(fakeClock());
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
    const tokens = tokensAt(fakeClock());
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
    const tokens = tokensAt(fakeClock());
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
    const tokens = tokensAt(clock);
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
      const fault = await refusal(tokensAt(fakeClock()), scheme);
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
    const tokens = tokensAt(clock, { answerMs: 100 });
    for (const ill of ["silent", "halting"] as const) {
      mood = ill;
      assert.equal((await refusal(tokens, scheme)).kind, "network");
      clock.nowMs += 5_000;
    }
    // All connections were closed.
    await Promise.all(gone);
    mood = "well";
    assert.equal(await tokensAt(clock).get(scheme, upstream, "secret"), "t");
  });
});

test("an issuer that breaks off, that is not there, or that never stops talking", async () => {
  const cut: RequestListener = (_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    response.socket?.destroy();
  };
  await withIssuer(cut, async ({ scheme }) => {
    assert.equal((await refusal(tokensAt(fakeClock()), scheme)).kind, "network");
  });
  const endless: RequestListener = (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(" ".repeat(65_536)));
    };
    response.on("drain", more).on("error", () => {});
    more();
  };
  await withIssuer(endless, async ({ scheme }) => {
    assert.equal((await refusal(tokensAt(fakeClock()), scheme)).kind, "network");
  });
  let closed: TokenScheme | undefined;
  await withIssuer(counting(), async ({ scheme }) => {
    closed = scheme;
  });
  assert.equal((await refusal(tokensAt(fakeClock()), closed ?? assert.fail())).kind, "network");
});

test("a credential that is broken fails the call alone, and its words are nobody's", async () => {
  const broken: TokenScheme = {
    call() {
      throw new SyntaxError("Unexpected token in secret");
    },
    read: () => undefined,
  };
  const tokens = tokensAt(fakeClock());
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

/** A scheme that can ask the machine; its answers are given one by one. */
function withMachine(answers: (Found | Error)[], scheme: Partial<TokenScheme> = {}) {
  let asked = 0;
  const clock = fakeClock();
  const tokens = tokensAt(clock, {
    identity: {
      async get(request) {
        asked += 1;
        assert.deepEqual(request, { cloud: "google", scope: "s" });
        const answer = answers.shift() ?? assert.fail("asked too often");
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  const given: TokenScheme = {
    identity: () => ({ cloud: "google", scope: "s" }),
    call: () => undefined,
    read: () => undefined,
    ...scheme,
  };
  return {
    clock,
    asked: () => asked,
    get: (one: TokenScheme = given) => tokens.get(one, upstream, workloadIdentity),
  };
}

test("the machine's credentials are shared, renewed before their end, and its reasons are given", async () => {
  const place = message("identity.noRole", { place: "http://169.254.169.254" });
  const machine = withMachine([
    { secret: "one", expiresInSeconds: 3_600 },
    { secret: "two", expiresInSeconds: 3_600 },
    new IdentityFailure("refused", place),
  ]);
  const parallel = await Promise.all(Array.from({ length: 50 }, () => machine.get()));
  assert.deepEqual(new Set(parallel), new Set(["one"]));
  assert.equal(machine.asked(), 1);
  machine.clock.nowMs += 3_500_000;
  assert.equal(machine.get(), "one");
  await until(() => machine.get() === "two");
  assert.equal(machine.asked(), 2);
  machine.clock.nowMs += 3_600_000;
  const fault = (await machine.get()) as Fault;
  assert.deepEqual([fault.kind, fault.note], ["upstream_auth", textOf(place)]);
});

test("a bug in asking the machine is a fault, and the next call asks again", async () => {
  const machine = withMachine([new TypeError("no"), { secret: "one", expiresInSeconds: 3_600 }]);
  assert.equal(((await machine.get()) as Fault).kind, "network");
  machine.clock.nowMs += 5_000;
  assert.equal(await machine.get(), "one");
});

test("a key that the machine has is exchanged as one of the catalog", async () => {
  await withIssuer(counting(), async ({ scheme, asked }) => {
    const machine = withMachine([{ credential: "the machine's key" }], {
      call: scheme.call,
      read: scheme.read,
    });
    assert.equal(await machine.get(), "token-1");
    assert.deepEqual(asked, ["the machine's key@1000000"]);
    const broken = withMachine([{ credential: "plain" }], { call: scheme.call });
    assert.equal(((await broken.get()) as Fault).kind, "upstream_auth");
  });
});

test("a provider without a machine's identity is never sent the word", async () => {
  const machine = withMachine([]);
  const fault = (await machine.get({ call: () => undefined, read: () => undefined })) as Fault;
  assert.deepEqual([fault.kind, machine.asked()], ["upstream_auth", 0]);
});
