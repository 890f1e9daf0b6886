/**
 * Signing in during an attack: an attacker with many networks neither locks other users out nor avoids the
 * delays.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type ConsoleRig, startConsole } from "../harness/console-rig.ts";

const env = { PLAZA_TRUSTED_PROXIES: "127.0.0.0/8" };

function signIn(rig: ConsoleRig, ip: string, email: string, password: string, headers = {}): Promise<Answer> {
  return rig.nobody.call("POST", "/session", { email, password }, { "x-forwarded-for": ip, ...headers });
}

const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");

/** Guesses from 70 addresses in parallel until stopped; resolves with the statuses. */
function attack(rig: ConsoleRig, ipOf: (turn: number) => string, emailOf: (turn: number) => string) {
  let isOver = false;
  let turn = 0;
  const statuses: number[] = [];
  const guess = async () => {
    while (!isOver) {
      turn += 1;
      const { status } = await signIn(rig, ipOf(turn), emailOf(turn), "a wrong password");
      statuses.push(status);
    }
  };
  const threads = Array.from({ length: 70 }, guess);
  return {
    async stop(): Promise<readonly number[]> {
      isOver = true;
      await Promise.all(threads);
      return statuses;
    },
  };
}

const hex = (number: number): string => number.toString(16);

test("an attacker with a /48 keeps nobody out, and is slowed down", async (context) => {
  const rig = await startConsole(context, { env });
  const email = "owner@a.test";
  const device = cookieOf(await signIn(rig, "2001:db8:ffff::1", email, rig.password));
  for (const isOneEmail of [false, true]) {
    const crowd = attack(
      rig,
      (turn) => `2001:db8:77:${hex(turn % 65_536)}::${hex(turn)}`,
      (turn) => (isOneEmail ? email : `nobody${turn}@example.com`),
    );
    const seen: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const far = `198.51.${turn}.7`;
      seen.push(`far ${(await signIn(rig, far, email, rig.password)).status}`);
      const known = await signIn(rig, "2001:db8:77:1::1", email, rig.password, { cookie: device });
      seen.push(`known ${known.status}`);
    }
    const statuses = await crowd.stop();
    assert.deepEqual([...new Set(seen)].sort(), ["far 200", "known 200"], `one email: ${isOneEmail}`);
    const tried = statuses.filter((status) => status === 401).length;
    assert.ok(tried <= 120, `${tried} guesses of ${statuses.length} were tried`);
    assert.ok(statuses.length > tried, "the others were refused");
  }
});

test("a /56 and a /48 are each counted as one, whatever in them is rotated", async (context) => {
  const rig = await startConsole(context, { env });
  for (const [what, ipOf, free] of [
    ["/56", (turn: number) => `2001:db8:56:${hex(turn)}::1`, 40],
    ["/48", (turn: number) => `2001:db8:48:${hex(turn * 256)}::1`, 80],
  ] as const) {
    const statuses: number[] = [];
    for (let turn = 0; turn < free + 5; turn += 1) {
      const email = `nobody-${turn}@${what.slice(1)}.example.com`;
      statuses.push((await signIn(rig, ipOf(turn), email, "a wrong password")).status);
    }
    assert.equal(statuses.filter((status) => status === 401).length, free, what);
    assert.deepEqual(statuses.slice(free), [429, 429, 429, 429, 429], what);
  }
});

test("an email address that is blocked lets its user in from a network without failures", async (context) => {
  const rig = await startConsole(context, { env });
  const email = "owner@a.test";
  for (let turn = 0; turn < 8; turn += 1) await signIn(rig, "198.51.100.1", email, "a wrong password");
  assert.equal((await signIn(rig, "198.51.100.1", email, rig.password)).status, 429, "where it was guessed");
  assert.equal((await signIn(rig, "203.0.113.9", email, rig.password)).status, 200, "far away");
});

test("an attacker with many networks is not before a device that is known", async (context) => {
  const rig = await startConsole(context, { env });
  const email = "owner@a.test";
  const device = cookieOf(await signIn(rig, "2001:db8:ffff::1", email, rig.password));
  const crowd = attack(
    rig,
    (turn) => `2001:${hex(turn % 1_000)}:${hex(turn % 1_000)}::1`,
    (turn) => (turn % 2 === 0 ? email : `nobody${turn}@example.com`),
  );
  const seen: number[] = [];
  for (let turn = 0; turn < 20; turn += 1)
    seen.push((await signIn(rig, "192.0.2.1", email, rig.password, { cookie: device })).status);
  const statuses = await crowd.stop();
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, () => 200),
  );
  assert.ok(statuses.length > 0);
});

test("a known device is slowed down by its own failures", async (context) => {
  const rig = await startConsole(context);
  const email = "owner@a.test";
  const cookie = cookieOf(await signIn(rig, "127.0.0.1", email, rig.password));
  const statuses = [];
  for (let turn = 0; turn < 7; turn += 1)
    statuses.push((await signIn(rig, "127.0.0.1", email, "a wrong password", { cookie })).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
  const other = await signIn(rig, "127.0.0.1", email, "a wrong password");
  assert.equal(other.status, 401, "what it did wrong is not counted against others");
});
