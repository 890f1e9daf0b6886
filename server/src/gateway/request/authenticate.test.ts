import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createApiKey, digestApiKey } from "../../domain/keys/api-key.ts";
import type { ApiKey, ApiKeysStore, KeyWithAccount } from "../../store/accounts/key-shapes.ts";
import type { Store } from "../../store/store.ts";
import { createAuthenticator } from "./authenticate.ts";

const { secret, visiblePrefix } = createApiKey(randomBytes);
const header = `Bearer ${secret}`;

const plainKey: ApiKey = {
  id: "key_1",
  accountId: "acc_1",
  name: "first",
  visiblePrefix,
  status: "active",
  models: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  budget: null,
  expiresAt: null,
  ips: null,
  project: null,
  tags: [],
  createdAt: 0,
};

/** These tests do not depend on the sender. */
const sent = { peerAddress: undefined, headers: {} };

/** A store with one key that counts its lookups. Tests may change it or make it fail. */
function oneKeyStore(found: KeyWithAccount | undefined) {
  const state = { found, lookups: 0, isBroken: false, wallMs: 1_000_000, sender: "", askedForSender: 0 };
  const store = {
    async findKeyByDigest(digest: string) {
      state.lookups += 1;
      if (state.isBroken) throw new Error("the disk is gone");
      return digest === digestApiKey(secret) ? state.found : undefined;
    },
  } as Pick<ApiKeysStore, "findKeyByDigest"> as Store;
  const clock = { wallMs: () => state.wallMs, elapsedMs: () => 0 };
  const senderOf = (): string => {
    state.askedForSender += 1;
    return state.sender;
  };
  return { state, authenticator: createAuthenticator({ store, clock, senderOf }) };
}

const active = (key: Partial<ApiKey> = {}): KeyWithAccount => ({
  key: { ...plainKey, ...key },
  accountStatus: "active",
  accountLimits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
});

async function codeOf(answer: () => unknown): Promise<string> {
  try {
    await answer();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return error.code;
  }
  return "accepted";
}

test("a good key is looked up once and then known", async () => {
  const { state, authenticator } = oneKeyStore(active());
  for (let call = 0; call < 5; call += 1) {
    assert.equal((await authenticator.authenticate(header, sent)).key.id, "key_1");
  }
  assert.equal(state.lookups, 1);
});

test("headers without a key, and keys with a typing error, never reach the store", async () => {
  const { state, authenticator } = oneKeyStore(active());
  const flipped = `${header.slice(0, -1)}${header.endsWith("a") ? "b" : "a"}`;
  for (const wrong of [undefined, "", "Bearer ", "Basic abc", "Bearer sk-other-key", flipped]) {
    assert.equal(
      await codeOf(() => authenticator.authenticate(wrong, sent)),
      "invalid_api_key",
      String(wrong),
    );
  }
  assert.equal(state.lookups, 0);
});

/** A store with one imported key, or none, that counts what it is asked. */
function importedStore(hasImported: boolean) {
  const state = { hasImported, asked: 0, lookups: 0, isBroken: false, elapsedMs: 0 };
  const imported = "sk-AbCdEfGhIjKlMnOpQrStUv";
  const store = {
    async hasImportedKeys() {
      state.asked += 1;
      if (state.isBroken) throw new Error("the disk is gone");
      return state.hasImported;
    },
    async findKeyByDigest(digest: string) {
      state.lookups += 1;
      return state.hasImported && digest === digestApiKey(imported) ? active() : undefined;
    },
  } as Pick<ApiKeysStore, "findKeyByDigest" | "hasImportedKeys"> as Store;
  const clock = { wallMs: () => 0, elapsedMs: () => state.elapsedMs };
  const authenticator = createAuthenticator({ store, clock, senderOf: () => "" });
  const ask = (key: string) => codeOf(() => authenticator.authenticate(`Bearer ${key}`, sent));
  return { state, authenticator, imported, ask };
}
const randomKey = () => `sk-${randomBytes(18).toString("base64url")}`;

test("an imported key is found by its digest, and then known", async () => {
  const { state, imported, ask } = importedStore(true);
  for (let call = 0; call < 5; call += 1) assert.equal(await ask(imported), "accepted");
  assert.deepEqual([state.asked, state.lookups], [1, 1]);
  const unknown = randomKey();
  for (let call = 0; call < 5; call += 1) assert.equal(await ask(unknown), "invalid_api_key");
  assert.deepEqual([state.asked, state.lookups], [1, 2]);
});

test("where no key was imported, keys of other forms cost one question, and no look-up", async () => {
  const { state, authenticator, imported, ask } = importedStore(false);
  for (let call = 0; call < 20; call += 1) assert.equal(await ask(randomKey()), "invalid_api_key");
  assert.equal(await ask(imported), "invalid_api_key");
  assert.deepEqual([state.asked, state.lookups], [1, 0]);
  // However often keys change, the store is asked every ten seconds at most; then an import is noticed.
  state.hasImported = true;
  await authenticator.forget("key", "key_1");
  assert.equal(await ask(imported), "invalid_api_key");
  assert.equal(state.asked, 1);
  state.elapsedMs = 10_000;
  assert.equal(await ask(imported), "accepted");
  assert.deepEqual([state.asked, state.lookups], [2, 1]);
});

test("what is too short to be safe, no key, or a key of ours with a slip, is never looked up", async () => {
  const { state, ask } = importedStore(true);
  const slip = `${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`;
  for (const wrong of ["sk-1234", "sk-1234567890123456", slip, "eyJ".repeat(20), `sk-${"x".repeat(300)}`])
    assert.equal(await ask(wrong), "invalid_api_key", wrong);
  assert.deepEqual([state.asked, state.lookups], [0, 0]);
});

test("a store that does not answer is no refusal of an imported key", async () => {
  const { state, imported, ask } = importedStore(true);
  state.isBroken = true;
  assert.equal(await ask(imported), "ledger_unavailable");
  state.isBroken = false;
  assert.equal(await ask(imported), "accepted");
});

test("a key that does not exist is asked for once, until some key changes", async () => {
  const { state, authenticator } = oneKeyStore(undefined);
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
  assert.equal(state.lookups, 1);
  state.found = active();
  authenticator.forget("key", "key_1");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "accepted");
});

test("each reason to refuse a known key has its own code", async () => {
  const cases: [KeyWithAccount, string][] = [
    [active({ status: "revoked" }), "invalid_api_key"],
    [active({ status: "disabled" }), "api_key_disabled"],
    [active({ expiresAt: 999_999 }), "api_key_expired"],
    [active({ expiresAt: 1_000_001 }), "accepted"],
    [{ ...active(), accountStatus: "suspended" }, "account_suspended"],
  ];
  for (const [found, code] of cases) {
    const { authenticator } = oneKeyStore(found);
    assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), code);
    assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), code, "from memory too");
  }
});

test("a known key expires while it is known", async () => {
  const { state, authenticator } = oneKeyStore(active({ expiresAt: 1_000_001 }));
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "accepted");
  state.wallMs = 1_000_001;
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "api_key_expired");
});

test("a revoked key is refused once the feed says so, also when its header was seen before", async () => {
  const { state, authenticator } = oneKeyStore(active());
  for (let call = 0; call < 3; call += 1) await authenticator.authenticate(header, sent);
  state.found = active({ status: "revoked" });
  authenticator.forget("key", "key_1");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
});

test("a suspended account takes all its keys along", async () => {
  const { state, authenticator } = oneKeyStore(active());
  await authenticator.authenticate(header, sent);
  state.found = { ...active(), accountStatus: "suspended" };
  authenticator.forget("account", "acc_1");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "account_suspended");
});

test("a store that does not answer is a 503, never a 401, and is asked again", async () => {
  const { state, authenticator } = oneKeyStore(active());
  state.isBroken = true;
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "ledger_unavailable");
  state.isBroken = false;
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "accepted");
});

test("simultaneous first calls share one lookup", async () => {
  const { state, authenticator } = oneKeyStore(active());
  await Promise.all(Array.from({ length: 20 }, () => authenticator.authenticate(header, sent)));
  assert.equal(state.lookups, 1);
});

test("an account's limits come with the caller, and are looked up again once its account changed", async () => {
  const own = (concurrency: number | null) => ({
    ...active(),
    accountLimits: { requestsPerMinute: null, tokensPerMinute: 0, concurrency },
  });
  const { state, authenticator } = oneKeyStore(own(3));
  const seen = async () => (await authenticator.authenticate(header, sent)).accountLimits;
  assert.deepEqual(await seen(), { requestsPerMinute: null, tokensPerMinute: 0, concurrency: 3 });
  state.found = own(null);
  assert.equal((await seen()).concurrency, 3);
  authenticator.forget("account", "acc_1");
  assert.equal((await seen()).concurrency, null);
});

/** A store whose answers wait until the test releases them, oldest first. */
function slowStore() {
  const waiting: ((found: KeyWithAccount | undefined) => void)[] = [];
  const store = {
    findKeyByDigest: () => new Promise((resolve) => void waiting.push(resolve)),
  } as Pick<ApiKeysStore, "findKeyByDigest"> as Store;
  const clock = { wallMs: () => 0, elapsedMs: () => 0 };
  const authenticator = createAuthenticator({ store, clock, senderOf: () => "" });
  return { waiting, authenticator };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("an answer that was under way while its key changed is neither remembered nor believed", async () => {
  const { waiting, authenticator } = slowStore();
  const first = codeOf(() => authenticator.authenticate(header, sent));
  authenticator.forget("key", "key_1");
  const second = codeOf(() => authenticator.authenticate(header, sent));
  assert.equal(waiting.length, 2, "a caller after the change does not share an older reading");
  waiting.shift()?.(active());
  await turn();
  waiting.shift()?.(active({ status: "revoked" }));
  assert.equal(await second, "invalid_api_key");
  await turn();
  for (const answer of waiting.splice(0)) answer(active({ status: "revoked" }));
  assert.equal(await first, "invalid_api_key");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
  assert.equal(waiting.length, 0, "what was read after the change is known");
});

test("a key made while it was looked for is not remembered as missing", async () => {
  const { waiting, authenticator } = slowStore();
  const early = codeOf(() => authenticator.authenticate(header, sent));
  authenticator.forget("key", "key_1");
  waiting.shift()?.(undefined);
  await turn();
  waiting.shift()?.(active());
  assert.equal(await early, "accepted");
});

test("where keys change at every reading, one is answered from the last but nothing is remembered", async () => {
  const { waiting, authenticator } = slowStore();
  const caller = codeOf(() => authenticator.authenticate(header, sent));
  let readings = 0;
  for (; waiting.length > 0; readings += 1) {
    authenticator.forget("key", "key_2");
    waiting.shift()?.(active());
    await turn();
  }
  assert.equal(await caller, "accepted");
  assert.equal(readings, 3);
  void codeOf(() => authenticator.authenticate(header, sent));
  assert.equal(waiting.length, 1, "looked up again");
});

test("a key with a list of addresses works from there only, from memory too", async () => {
  const ips = ["203.0.113.0/24", "198.51.100.7", "2001:db8::/32", "::ffff:192.0.2.0/120"];
  const { state, authenticator } = oneKeyStore(active({ ips }));
  const cases: [sender: string, code: string][] = [
    ["203.0.113.9", "accepted"],
    ["203.0.114.9", "ip_not_allowed"],
    ["198.51.100.7", "accepted"],
    ["198.51.100.8", "ip_not_allowed"],
    ["2001:db8::1", "accepted"],
    ["2001:db9::1", "ip_not_allowed"],
    ["192.0.2.77", "accepted"],
    ["::ffff:192.0.2.77", "accepted"],
    ["", "ip_not_allowed"],
    ["nonsense", "ip_not_allowed"],
  ];
  for (const [sender, code] of cases) {
    state.sender = sender;
    assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), code, sender);
    assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), code, `${sender} again`);
  }
  assert.equal(state.lookups, 1);
});

test("an empty list of addresses is nowhere, and a refusal for another reason says that one", async () => {
  const { state, authenticator } = oneKeyStore(active({ ips: [] }));
  state.sender = "203.0.113.9";
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "ip_not_allowed");
  state.found = active({ ips: [], status: "revoked" });
  authenticator.forget("key", "key_1");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
});

test("a key without a list never asks where a call comes from", async () => {
  const { state, authenticator } = oneKeyStore(active());
  for (let call = 0; call < 3; call += 1) await authenticator.authenticate(header, sent);
  assert.equal(state.askedForSender, 0);
});

test("an ephemeral key is asked for each time: it may end without a line in the feed", async () => {
  const { state, authenticator } = oneKeyStore({ ...active(), isEphemeral: true });
  for (let call = 1; call <= 3; call += 1) {
    assert.equal((await authenticator.authenticate(header, sent)).key.id, "key_1");
    assert.equal(state.lookups, call);
  }
  state.found = undefined;
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
});

test("every refusal of a key begins with the words LiteLLM looks for, and shows the ends of the key at most", async () => {
  const { state, authenticator } = oneKeyStore(active());
  const messageOf = async (authorization: string | undefined): Promise<string> => {
    try {
      await authenticator.authenticate(authorization, sent);
    } catch (error) {
      return (error as GatewayError).message;
    }
    assert.fail("the key should have been refused");
  };
  const shown = `sk-plaza-…${secret.slice(-4)}`;
  const other = createApiKey(randomBytes).secret;
  assert.match(await messageOf(undefined), /^Incorrect API key provided: none was sent\. /);
  assert.match(await messageOf(secret), /^Incorrect API key provided: the Authorization header must be /);
  assert.match(
    await messageOf("Bearer short"),
    /^Incorrect API key provided: \*\*\*\. This is not a valid Plaza API key/,
  );
  for (const round of ["asked of the store", "known to be unknown"]) {
    const message = await messageOf(`Bearer ${other}`);
    assert.ok(
      message.startsWith(`Incorrect API key provided: sk-plaza-…${other.slice(-4)}. The key does not exist.`),
      round,
    );
  }
  const refused: readonly (readonly [Partial<ApiKey>, string])[] = [
    [{ status: "revoked" }, "The key was revoked."],
    [{ status: "disabled" }, "The key is disabled."],
    [{ expiresAt: 999_999 }, "The key expired on 1970-01-01T00:16:39.999Z."],
  ];
  for (const [key, why] of refused) {
    state.found = active(key);
    authenticator.forget("key", "key_1");
    for (const round of ["from the store", "from memory", "with a header seen before"]) {
      const message = await messageOf(header);
      assert.ok(message.startsWith(`Incorrect API key provided: ${shown}. ${why} `), `${round}: ${message}`);
      assert.ok(!message.includes(secret.slice(9, 13)));
    }
  }
});

test("a bad key is read once while it is remembered; every call with it counts against its address", async () => {
  let counted = 0;
  const strangers = {
    refuseEarly: () => undefined,
    count(_sent: object, refusal: GatewayError) {
      counted += 1;
      return counted > 3 ? new GatewayError("rate_limit_exceeded") : refusal;
    },
  };
  const store = { findKeyByDigest: async () => undefined } as Pick<ApiKeysStore, "findKeyByDigest"> as Store;
  const clock = { wallMs: () => 0, elapsedMs: () => 0 };
  const authenticator = createAuthenticator({ store, clock, senderOf: () => "", strangers });
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "invalid_api_key");
  const first = authenticator.check(header, sent);
  assert.ok(first instanceof GatewayError);
  assert.equal(authenticator.check(header, sent), first, "not made again");
  assert.equal(await codeOf(() => authenticator.authenticate(header, sent)), "rate_limit_exceeded");
  assert.equal(counted, 4);
});

test("what is remembered of bad keys is bounded", () => {
  const { authenticator } = oneKeyStore(undefined);
  const first = authenticator.check("Bearer 0", sent);
  assert.equal(authenticator.check("Bearer 0", sent), first);
  for (let key = 1; key < 5_000; key += 1) authenticator.check(`Bearer ${key}`, sent);
  assert.notEqual(authenticator.check("Bearer 0", sent), first);
  const long = `Bearer ${"a".repeat(1_000)}`;
  assert.notEqual(authenticator.check(long, sent), authenticator.check(long, sent));
});
