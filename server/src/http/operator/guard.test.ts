import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { mock, test } from "node:test";
import type { Sent } from "../../lib/net/forwarded.ts";
import { createMetricsGuard, createOperatorGuard } from "./guard.ts";

function request(
  peerAddress: string | undefined,
  headers: Record<string, string> = { host: "127.0.0.1:8080" },
): Sent {
  return { headers, peerAddress };
}

/** Error code of the refusal; undefined = allowed. */
function refusal(guard: (sent: Sent) => void, sent: Sent): string | undefined {
  try {
    guard(sent);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("without a token, only connections of the machine itself are let in", () => {
  const guard = createOperatorGuard(undefined);
  for (const near of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "::FFFF:127.0.0.5"]) {
    assert.equal(refusal(guard, request(near)), undefined, near);
  }
  const far = [
    "10.0.0.1",
    "128.0.0.1",
    "::ffff:10.0.0.1",
    "::2",
    "fe80::1%lo",
    "::ffff:8.8.8.8",
    "12.7.0.0.1",
  ];
  for (const address of [...far, "127.evil.example", "", undefined]) {
    assert.equal(refusal(guard, request(address)), "ip_not_allowed", address);
  }
});

test("without a token, whatever a proxy passed on is refused, though the proxy is near", () => {
  const guard = createOperatorGuard(undefined);
  const names = [
    ...["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded", "forwarded", "via"],
    ...["x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip", "x-envoy-external-address"],
  ];
  for (const name of names) {
    assert.equal(
      refusal(guard, request("127.0.0.1", { host: "localhost", [name]: "" })),
      "ip_not_allowed",
      name,
    );
    assert.equal(
      refusal(guard, request("::1", { host: "localhost", [name]: "127.0.0.1" })),
      "ip_not_allowed",
      name,
    );
  }
});

test("without a token, a name that was made to lead here is refused", () => {
  const guard = createOperatorGuard(undefined);
  for (const host of ["localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]:8080", "[::1]"]) {
    assert.equal(refusal(guard, request("127.0.0.1", { host })), undefined, host);
  }
  for (const host of [
    "evil.example",
    "localhost.evil.example:8080",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "[::2]:80",
  ]) {
    assert.equal(refusal(guard, request("127.0.0.1", { host })), "ip_not_allowed", host);
  }
});

test("with a token, it is the token that counts and nothing else", () => {
  const token = "operator-token-0123456789";
  const guard = createOperatorGuard(token);
  const withAuthorization = (authorization: string) =>
    request("203.0.113.9", { host: "plaza.example", "x-forwarded-for": "1.2.3.4", authorization });
  for (const good of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token} `]) {
    assert.equal(refusal(guard, withAuthorization(good)), undefined, good);
  }
  const bad = [
    ...["", "Bearer", "Bearer ", token, `Basic ${token}`, `Bearer ${token}x`, `Bearer x${token}`],
    ...[`Bearer ${token.slice(0, -1)}`, `Bearer ${token.toUpperCase()}`, `Bearer ${token} ${token}`],
  ];
  for (const one of bad) assert.equal(refusal(guard, withAuthorization(one)), "invalid_api_key", one);
  assert.equal(refusal(guard, request("127.0.0.1")), "invalid_api_key", "being near does not replace it");
});

const metricsToken = "metrics-token-0123456789";
const operatorToken = "operator-token-0123456789";

/** Error code of the metrics guard's refusal; undefined = allowed. */
async function metricsRefusal(
  tokens: { operatorToken?: string; metricsToken?: string },
  sent: Sent,
): Promise<string | undefined> {
  const isMadeToken = async (given: string) => given === "plz-op-made";
  const guard = createMetricsGuard({
    operatorToken: undefined,
    metricsToken: undefined,
    ...tokens,
    isMadeToken,
  });
  return await guard(sent).then(
    () => undefined,
    (error: { code: string }) => error.code,
  );
}

const bearing = (token: string, address = "203.0.113.9") =>
  request(address, { host: "plaza.example", authorization: `Bearer ${token}` });

test("metrics take a token of their own, the operator's, or one made for it", async () => {
  for (const tokens of [{ metricsToken }, { metricsToken, operatorToken }]) {
    assert.equal(await metricsRefusal(tokens, bearing(metricsToken)), undefined);
    assert.equal(await metricsRefusal(tokens, bearing("plz-op-made")), undefined);
    assert.equal(await metricsRefusal(tokens, bearing("another-token-0123456789")), "invalid_api_key");
    assert.equal(await metricsRefusal(tokens, request("127.0.0.1")), "invalid_api_key", "near is not enough");
  }
  assert.equal(await metricsRefusal({ metricsToken, operatorToken }, bearing(operatorToken)), undefined);
  assert.equal(await metricsRefusal({ metricsToken }, bearing(operatorToken)), "invalid_api_key");
});

test("without a token set, metrics are for this machine, and for a token made in the console", async () => {
  assert.equal(await metricsRefusal({}, request("127.0.0.1")), undefined);
  assert.equal(await metricsRefusal({}, request("203.0.113.9")), "ip_not_allowed");
  assert.equal(await metricsRefusal({}, bearing("plz-op-made")), undefined);
  assert.equal(await metricsRefusal({}, bearing("plz-op-other")), "ip_not_allowed");
});

test("tokens are compared in constant time, whatever their length", () => {
  const compare = mock.method(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  const guard = createOperatorGuard("operator-token-0123456789");
  refusal(guard, request("127.0.0.1", { authorization: "Bearer short" }));
  refusal(guard, request("127.0.0.1", { authorization: `Bearer ${"long".repeat(100)}` }));
  compare.mock.restore();
  syncBuiltinESMExports();
  const lengths = compare.mock.calls.map(({ arguments: [a, b] }) => [a.byteLength, b.byteLength]);
  assert.deepEqual(lengths, [
    [32, 32],
    [32, 32],
  ]);
});
