/** Parts of authentication that need no server: passwords, operator tokens, second factors, proxy headers. */
import assert from "node:assert/strict";
import { argon2Sync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { parseNetwork } from "../../lib/net/address.ts";
import { trusted } from "./hash-queue.ts";
import { createOperatorToken, isOperatorTokenShape } from "./operator-token.ts";
import { checkNewPassword, enterQueue, hashPassword, verifyPassword } from "./passwords.ts";
import { type Arrival, type ClientAddressSettings, clientAddressOf } from "./proxies.ts";
import { newRecoveryCodes, newTotp, stepOfCode } from "./two-factor.ts";

const base64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");

test("a password fits its own hash only, however it is composed", async () => {
  const stored = await hashPassword("pässword for a tést");
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(await hashPassword("pässword for a tést"), stored);
  const right = { isRight: true, isOutdated: false };
  assert.deepEqual(await verifyPassword("pässword for a tést", stored), right);
  assert.deepEqual(await verifyPassword("pässword for a tést".normalize("NFD"), stored), right);
  assert.equal((await verifyPassword("password for a test", stored)).isRight, false);
});

test("where there is no password, none fits", async () => {
  for (const stored of [null, "", "x", "$argon2id$v=19$m=8,t=1,p=1$$", "$2b$10$abc"])
    assert.equal((await verifyPassword("anything at all", stored)).isRight, false);
});

test("a hash of other costs still fits, and is told to be outdated", async () => {
  const nonce = randomBytes(16);
  const costs = { memory: 64, passes: 1, parallelism: 1, tagLength: 32 };
  const derived = argon2Sync("argon2id", { message: "an old password", nonce, ...costs });
  const stored = `$argon2id$v=19$m=64,t=1,p=1$${base64(nonce)}$${base64(derived)}`;
  assert.deepEqual(await verifyPassword("an old password", stored), { isRight: true, isOutdated: true });
});

test("more hashing than may wait is refused at once, and goes on when there is room", async (context) => {
  const waiting = Array.from({ length: 120 }, () => enterQueue(trusted));
  context.after(() => {
    for (const ticket of waiting) ticket.leave();
  });
  for (const hash of [() => verifyPassword("x", ""), () => hashPassword("x")])
    await assert.rejects(hash, { code: "too_many_attempts" });
  waiting.pop()?.leave();
  assert.equal((await verifyPassword("x", "")).isRight, false);
});

test("passwords everybody tries are refused", () => {
  const refuses = (password: string) => {
    try {
      checkNewPassword(password, "ana.lopez@plaza.test", "password");
      return false;
    } catch {
      return true;
    }
  };
  for (const password of [
    "PASSWORD1234",
    "qwertyuiop",
    "aaaaaaaaaaaa",
    "1212121212",
    "ana.lopez@plaza.test",
    "Ana.Lopez",
  ])
    assert.equal(refuses(password), true, password);
  assert.equal(refuses("Tr0ub4dor&3 on a hill"), false);
});

test("an operator token differs from its twin in any character", () => {
  const { secret, visiblePrefix } = createOperatorToken(randomBytes);
  assert.match(secret, /^plz-op-[0-9A-Za-z]{38}$/);
  assert.ok(secret.startsWith(visiblePrefix) && visiblePrefix.length === 11);
  assert.equal(isOperatorTokenShape(secret), true);
  for (let place = 0; place < secret.length; place += 1) {
    const other = secret[place] === "a" ? "b" : "a";
    assert.equal(isOperatorTokenShape(secret.slice(0, place) + other + secret.slice(place + 1)), false);
  }
  assert.equal(isOperatorTokenShape(secret.slice(0, -1)), false);
  assert.equal(isOperatorTokenShape(`${secret}a`), false);
});

test("codes of the app are RFC 6238's, one half minute to either side", async () => {
  // RFC 6238, appendix B: SHA-1, the last six digits.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  assert.equal(await stepOfCode(secret, "287082", 59_000), 1);
  assert.equal(await stepOfCode(secret, "081804", 1_111_111_109_000), 37_037_036);
  assert.equal(await stepOfCode(secret, "287082", 89_000), 1);
  assert.equal(await stepOfCode(secret, "287082", 120_000), undefined);
  assert.equal(await stepOfCode(secret, "287083", 59_000), undefined);
  const { secret: made, address } = newTotp("My Plaza", "ana@plaza.test");
  assert.match(made, /^[A-Z2-7]{32}$/);
  assert.ok(address.startsWith("otpauth://totp/My%20Plaza:ana%40plaza.test?"), address);
  assert.ok(address.includes(`secret=${made}`));
});

test("recovery codes are ten, of eighty bits", () => {
  const { codes, digests } = newRecoveryCodes((count) => Buffer.alloc(count, 255));
  assert.equal(codes[0], "zzzz-zzzz-zzzz-zzzz");
  const random = newRecoveryCodes(randomBytes);
  assert.equal(new Set(random.codes).size, 10);
  assert.equal(new Set(random.digests).size, 10);
  assert.equal(new Set(digests).size, 1);
  for (const code of random.codes) assert.match(code, /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/);
});

const arrival = (remoteAddress: string, headers: Record<string, string> = {}): Arrival => ({
  remoteAddress,
  header: (name) => ({ host: "plaza.test:8080", ...headers })[name],
});

const settings = (
  more: Partial<ClientAddressSettings> = {},
  ...trusted: string[]
): ClientAddressSettings => ({
  trustedProxies: trusted.flatMap((text) => parseNetwork(text) ?? []),
  publicUrl: undefined,
  consoleListen: undefined,
  tlsCert: undefined,
  ...more,
});

test("a proxy's word counts only where it is trusted, and only as far as the chain is", () => {
  const ipOf = (from: Arrival, ...trusted: string[]) => clientAddressOf(from, settings({}, ...trusted)).ip;
  const forged = { "x-forwarded-for": "203.0.113.7" };
  assert.equal(ipOf(arrival("198.51.100.1", forged)), "198.51.100.1");
  assert.equal(ipOf(arrival("198.51.100.1", forged), "10.0.0.0/8"), "198.51.100.1");
  assert.equal(ipOf(arrival("10.0.0.1", forged), "10.0.0.0/8"), "203.0.113.7");
  assert.equal(ipOf(arrival("::ffff:10.0.0.1", forged), "10.0.0.0/8"), "203.0.113.7");
  const chain = { "x-forwarded-for": "1.2.3.4, 203.0.113.7, 10.0.0.2" };
  assert.equal(
    ipOf(arrival("10.0.0.1", chain), "10.0.0.0/8"),
    "203.0.113.7",
    "what is left of it anybody wrote",
  );
  assert.equal(
    ipOf(arrival("10.0.0.1", { "x-forwarded-for": "1.2.3.4, junk, 10.0.0.2" }), "10.0.0.0/8"),
    "10.0.0.2",
  );
  assert.equal(ipOf(arrival("10.0.0.1"), "10.0.0.0/8"), "10.0.0.1");
  assert.equal(ipOf(arrival("::1", { "x-forwarded-for": "[2001:DB9::5]" }), "::1"), "2001:db9::5");
});

test("the site is where the browser sees it", () => {
  const siteOf = (from: Arrival, given: ClientAddressSettings) => clientAddressOf(from, given);
  assert.deepEqual(siteOf(arrival("10.0.0.1"), settings()).origins, ["http://plaza.test:8080"]);
  const proxied = arrival("10.0.0.1", { "x-forwarded-proto": "https", "x-forwarded-host": "console.test" });
  assert.equal(siteOf(proxied, settings()).site, "http://plaza.test:8080");
  assert.equal(siteOf(proxied, settings({}, "10.0.0.1")).site, "https://console.test");
  const publicUrl = "https://api.test/v1";
  const open = siteOf(arrival("10.0.0.1"), settings({ publicUrl }));
  assert.deepEqual(
    [open.site, open.origins],
    ["https://api.test", ["https://plaza.test:8080", "https://api.test"]],
  );
  const secure = settings({ tlsCert: "tls.crt" }, "10.0.0.1");
  assert.equal(siteOf(arrival("198.51.100.1"), secure).site, "https://plaza.test:8080");
  assert.equal(
    siteOf(arrival("10.0.0.1", { "x-forwarded-proto": "http" }), secure).site,
    "http://plaza.test:8080",
  );
  const apart = settings({ publicUrl, consoleListen: {} });
  assert.equal(siteOf(arrival("10.0.0.1"), apart).site, "http://plaza.test:8080");
  for (const host of ["a b", "x@y", "x/y", ""])
    assert.equal(siteOf(arrival("10.0.0.1", { host }), settings()).site, "http://localhost", host);
});
