/** Sign-in and sign-out, session lifetimes, and protection from other sites, over real HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type ConsoleRig, startConsole } from "../harness/console-rig.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const cookieOf = ({ headers }: Answer): string | undefined => headers.get("set-cookie")?.split(";")[0];

const signIn = ({ nobody, password }: ConsoleRig, email: string, more: object = {}, headers = {}) =>
  nobody.call("POST", "/session", { email, password, ...more }, headers);

/** The user of a session cookie. */
async function emailBehind({ nobody }: ConsoleRig, cookie: string | undefined): Promise<string | undefined> {
  const { body } = await nobody.call("GET", "/session", undefined, { cookie: cookie ?? "" });
  return body.user?.email;
}

test("whoever is nobody sees the installation and nothing else", async (context) => {
  const { nobody, url } = await startConsole(context);
  const { status, body, headers } = await nobody.call("GET", "/session");
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.deepEqual(body, {
    user: null,
    account: null,
    csrfToken: null,
    installation: {
      name: "Plaza",
      baseUrl: `${url}/v1`,
      version: "0.0.0-test",
      plazaIsPublic: false,
      needsSetup: false,
      oidc: null,
      demoOnly: true,
    },
  });
  const refused = await nobody.call("GET", "/members");
  assert.deepEqual([refused.status, refused.body.error.code], [401, "not_signed_in"]);
});

test("signing in gives a cookie no script reads, and signing out ends it", async (context) => {
  const rig = await startConsole(context);
  const answer = await signIn(rig, " Owner@A.test ");
  assert.equal(answer.status, 200);
  assert.equal(answer.body.user.email, "owner@a.test");
  assert.deepEqual(answer.body.account, {
    id: rig.accountA,
    name: "Account A",
    role: "owner",
    status: "active",
  });
  const [set = "", device = ""] = answer.headers.getSetCookie();
  assert.match(device, /^plaza_device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match(set, /^plaza_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = cookieOf(answer) ?? "";
  assert.equal(await emailBehind(rig, cookie), "owner@a.test");
  const own = { cookie, "x-plaza-csrf": answer.body.csrfToken };
  const out = await rig.nobody.call("DELETE", "/session", undefined, own);
  assert.equal(out.status, 204);
  assert.match(out.headers.get("set-cookie") ?? "", /^plaza_session=; Max-Age=0;/);
  assert.equal(await emailBehind(rig, cookie), undefined);
});

test("signing in again at the same browser ends the session before", async (context) => {
  const rig = await startConsole(context);
  const first = cookieOf(await signIn(rig, "owner@a.test"));
  const second = cookieOf(await signIn(rig, "member@a.test", {}, { cookie: first ?? "" }));
  assert.equal(await emailBehind(rig, second), "member@a.test");
  assert.equal(await emailBehind(rig, first), undefined);
});

test("behind TLS the cookie is Secure, by the public address or a trusted proxy's word", async (context) => {
  const open = await startConsole(context, { env: { PLAZA_PUBLIC_URL: "https://plaza.test/v1" } });
  const answer = await signIn(open, "owner@a.test");
  assert.match(answer.headers.get("set-cookie") ?? "", /; Secure/);
  assert.equal(answer.body.installation.baseUrl, "https://plaza.test/v1");
  const proxied = await startConsole(context, { env: { PLAZA_TRUSTED_PROXIES: "127.0.0.1" } });
  const https = { "x-forwarded-proto": "https" };
  assert.match(
    (await signIn(proxied, "owner@a.test", {}, https)).headers.get("set-cookie") ?? "",
    /; Secure/,
  );
  const plain = await startConsole(context);
  assert.doesNotMatch(
    (await signIn(plain, "owner@a.test", {}, https)).headers.get("set-cookie") ?? "",
    /Secure/,
  );
});

test("wrong address, wrong password and a disabled user get the same answer", async (context) => {
  const rig = await startConsole(context);
  const { userId } = rig.as("member");
  const found = await rig.store.findUser(userId);
  const disabled = { id: userId, revision: found?.revision ?? -1, status: "disabled" } as const;
  assert.equal((await rig.store.changeUser(disabled)).kind, "done");
  const answers = [
    await signIn(rig, "nobody@a.test"),
    await signIn(rig, "owner@a.test", { password: "not the password" }),
    await signIn(rig, "member@a.test"),
  ];
  for (const { status, body, headers } of answers) {
    assert.equal(status, 401);
    assert.deepEqual(body, answers[0]?.body);
    assert.equal(body.error.code, "sign_in_failed");
    assert.equal(headers.get("set-cookie"), null);
  }
  assert.equal((await rig.as("member").call("GET", "/session")).body.user, null, "and its session is over");
});

test("after five failures the next attempts wait, longer each time, also with the right password", async (context) => {
  const rig = await startConsole(context);
  const wrong = { password: "not the password" };
  for (let round = 0; round < 5; round += 1)
    assert.equal((await signIn(rig, "owner@a.test", wrong)).status, 401);
  const blocked = await signIn(rig, "OWNER@a.test");
  assert.deepEqual([blocked.status, blocked.body.error.code], [429, "too_many_attempts"]);
  assert.equal(blocked.headers.get("retry-after"), "1");
  assert.equal((await signIn(rig, "member@a.test")).status, 200, "others are not held up");
  let waitMs = 1_000;
  for (let round = 0; round < 4; round += 1) {
    rig.clock.add(waitMs);
    assert.equal((await signIn(rig, "owner@a.test", wrong)).status, 401);
    const { headers } = await signIn(rig, "owner@a.test", wrong);
    waitMs = Number(headers.get("retry-after-ms"));
    assert.ok(waitMs > 1_000 * 2 ** (round + 1) - 1_000 && waitMs <= 1_000 * 2 ** (round + 1), `${waitMs}`);
  }
  rig.clock.add(waitMs);
  assert.equal((await signIn(rig, "owner@a.test")).status, 200);
  for (let round = 0; round < 5; round += 1)
    assert.equal((await signIn(rig, "owner@a.test", wrong)).status, 401, "a success forgets the failures");
});

test("attempts at once are counted before they are made: no more than five get through", async (context) => {
  const rig = await startConsole(context);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => signIn(rig, "owner@a.test", { password: "not the password" })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(7).fill(429)]);
});

test("one network trying many addresses has to wait, too", async (context) => {
  const rig = await startConsole(context, { env: { PLAZA_TRUSTED_PROXIES: "127.0.0.1" } });
  const from = (ip: string) => ({ "x-forwarded-for": `198.51.100.9, ${ip}` });
  for (let round = 0; round < 20; round += 1) {
    const { status } = await signIn(rig, `user${round}@a.test`, {}, from("2001:db9:1:2::5"));
    assert.equal(status, 401);
  }
  const there = await signIn(rig, "owner@a.test", {}, from("2001:db9:1:2:ffff::6"));
  assert.equal(there.status, 429, "the same /64");
  assert.equal((await signIn(rig, "owner@a.test", {}, from("2001:db9:1:3::5"))).status, 200);
});

test("a change needs the session's token, and no other site's page makes one", async (context) => {
  const rig = await startConsole(context);
  const { cookie, csrf, call } = rig.as("owner");
  const change = (headers: Record<string, string>) =>
    rig.nobody.call("PATCH", "/profile", { name: "Changed" }, headers);
  const own = { cookie, "x-plaza-csrf": csrf };
  const refused: Record<string, string>[] = [
    { cookie },
    { cookie, "x-plaza-csrf": "" },
    { cookie, "x-plaza-csrf": rig.as("stranger").csrf },
    { ...own, origin: "https://evil.test" },
    { ...own, origin: "null" },
    { ...own, origin: rig.url.replace("http:", "https:") },
    { ...own, "sec-fetch-site": "cross-site" },
    { ...own, "sec-fetch-site": "same-site" },
    { ...own, "sec-fetch-site": "none", origin: rig.url },
  ];
  for (const headers of refused) {
    const { status, body } = await change(headers);
    assert.deepEqual([status, body.error.code], [403, "forgery_suspected"], JSON.stringify(headers));
  }
  assert.equal((await call("GET", "/session")).body.user.name, "owner");
  for (const headers of [own, { ...own, origin: rig.url }, { ...own, "sec-fetch-site": "same-origin" }])
    assert.equal((await change(headers)).status, 200);
  assert.equal((await signIn(rig, "owner@a.test", {}, { origin: "https://evil.test" })).status, 403);
  assert.equal((await signIn(rig, "owner@a.test", {}, { "sec-fetch-site": "cross-site" })).status, 403);
});

test("the secret is exchanged in use; the one before is taken for a minute more", async (context) => {
  const rig = await startConsole(context);
  const first = rig.as("owner").cookie;
  const ask = (cookie: string, path = "/session") => rig.nobody.call("GET", path, undefined, { cookie });
  rig.clock.add(14 * minuteMs);
  assert.equal(cookieOf(await ask(first)), undefined);
  rig.clock.add(minuteMs);
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(first, "/operator/users")));
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(5).fill(403),
    "also with a refusal",
  );
  const given = answers.map(cookieOf).filter((cookie) => cookie !== undefined);
  assert.equal(given.length, 1, "one call exchanges it");
  const second = given[0] ?? "";
  assert.notEqual(second, first);
  rig.clock.add(minuteMs - 1_000);
  assert.equal(await emailBehind(rig, first), "owner@a.test");
  assert.equal(await emailBehind(rig, second), "owner@a.test");
  rig.clock.add(2_000);
  assert.equal(await emailBehind(rig, first), undefined);
  assert.equal(await emailBehind(rig, second), "owner@a.test");
});

test("a session nobody uses ends after twelve hours", async (context) => {
  const rig = await startConsole(context);
  const cookie = { owner: rig.as("owner").cookie, member: rig.as("member").cookie };
  rig.clock.add(12 * hourMs - minuteMs);
  assert.equal(await emailBehind(rig, cookie.owner), "owner@a.test");
  rig.clock.add(minuteMs);
  assert.equal(await emailBehind(rig, cookie.member), undefined);
});

test("any session ends after thirty days, however much it is used", async (context) => {
  const rig = await startConsole(context);
  let cookie = rig.as("owner").cookie;
  const use = async () => {
    const answer = await rig.nobody.call("GET", "/session", undefined, { cookie });
    cookie = cookieOf(answer) ?? cookie;
    return answer.body.user?.email;
  };
  for (let hours = 0; hours < 30 * 24 - 11; hours += 11) {
    assert.equal(await use(), "owner@a.test", `after ${hours} hours`);
    rig.clock.add(11 * hourMs);
  }
  assert.equal(await use(), "owner@a.test");
  rig.clock.add(11 * hourMs);
  assert.equal(await use(), undefined, "thirty days are over");
});

test("being seen is written down once a minute at most, with the address", async (context) => {
  const rig = await startConsole(context);
  const { call, sessionId, userId } = rig.as("owner");
  const seen = async () => (await rig.store.readSession(sessionId))?.session.seenAt ?? 0;
  const before = await seen();
  rig.clock.add(50_000);
  await call("GET", "/session");
  assert.equal(await seen(), before);
  rig.clock.add(10_000);
  await call("GET", "/session");
  assert.ok((await seen()) >= before + minuteMs);
  assert.equal((await rig.store.findUser(userId))?.seenAt, await seen());
  assert.equal((await rig.store.readSession(sessionId))?.session.ip, "127.0.0.1");
});

test("one's sessions are listed, and others' are out of reach", async (context) => {
  const rig = await startConsole(context);
  const { call, sessionId } = rig.as("owner");
  const other = await signIn(rig, "owner@a.test", {}, { "user-agent": "Other/1" });
  const { body } = await call("GET", "/sessions");
  assert.equal(body.sessions.length, 2);
  const [one] = body.sessions.filter((session: { isThis: boolean }) => !session.isThis);
  assert.equal(one.userAgent, "Other/1");
  const strangers = await rig.as("stranger").call("DELETE", `/sessions/${sessionId}`);
  assert.deepEqual([strangers.status, strangers.body.error.code], [404, "not_found"]);
  assert.equal((await call("DELETE", `/sessions/${one.id}`)).status, 204);
  assert.equal(await emailBehind(rig, cookieOf(other)), undefined);
  await signIn(rig, "owner@a.test");
  assert.deepEqual((await call("DELETE", "/sessions")).body, { ended: 1 });
  assert.equal((await call("GET", "/sessions")).body.sessions.length, 1);
});

test("HEAD is no way round the rules", async (context) => {
  const rig = await startConsole(context);
  assert.equal((await rig.nobody.call("HEAD", "/members")).status, 401);
  assert.equal((await rig.as("owner").call("HEAD", "/operator/users")).status, 403);
  assert.equal((await rig.as("owner").call("HEAD", "/members")).status, 200);
});
