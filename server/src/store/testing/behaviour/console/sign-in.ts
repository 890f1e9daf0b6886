/**
 * What every store must do with second factors, failed attempts, operator tokens and the audit
 * log's lines. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Store } from "../../../store.ts";
import type { NewFixture } from "../../fixture.ts";
import { digestOf, link, minuteMs, newUser, t0 } from "./people.ts";

function secondFactor(newFixture: NewFixture): void {
  test("a second factor counts once it is confirmed; steps and recovery codes work once", async (context) => {
    const { store } = await newFixture(context);
    const userId = await newUser(store, "ana");
    await store.beginTotp(userId, "FIRST");
    await store.beginTotp(userId, "SECOND");
    const confirm = (secret: string) =>
      store.confirmTotp({
        userId,
        secret,
        step: 10,
        recoveryDigests: ["d1", "d2"],
        keepSessionId: "",
        nowMs: t0,
      });
    assert.equal((await store.findUser(userId))?.hasTwoFactor, false);
    assert.equal(await confirm("FIRST"), false);
    assert.equal(await confirm("SECOND"), true);
    assert.equal(await confirm("SECOND"), false);
    assert.equal(await store.beginTotp(userId, "THIRD"), false);
    assert.equal((await store.findUser(userId))?.hasTwoFactor, true);
    assert.equal(await store.takeTotpStep(userId, 10), false);
    const steps = await Promise.all([11, 11, 11].map((step) => store.takeTotpStep(userId, step)));
    assert.equal(steps.filter(Boolean).length, 1);
    assert.equal(await store.takeTotpStep(userId, 9), false);
    const codes = await Promise.all(
      ["d1", "d1", "none"].map((one) => store.takeRecoveryCode(userId, one, t0)),
    );
    assert.equal(codes.filter(Boolean).length, 1);
    await store.endTotp(userId);
    assert.equal(await store.takeRecoveryCode(userId, "d2", t0), false);
  });

  test("secrets of apps go along when the sealing key is exchanged", async (context) => {
    const { reopen } = await newFixture(context);
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const before = await reopen(old);
    const userId = await newUser(before, "ana");
    await before.beginTotp(userId, "SECRET");
    const after = await reopen(fresh);
    const secretIn = async (store: Store) => (await store.findUserSecrets({ id: userId }))?.totpSecret;
    assert.equal(await secretIn(after), null, "it does not open with another key, and harms nothing");
    await before.resealCredentials(Buffer.concat([fresh, old]));
    assert.equal(await secretIn(after), "SECRET");
  });
}

function attempts(newFixture: NewFixture): void {
  const subjects = (free: number) => [{ subject: "kind:a", free }];

  test("attempts at once, in two processes, are let through exactly as often as is free", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const starts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : other).beginAttempt(subjects(5), t0),
      ),
    );
    assert.equal(starts.filter(({ isAllowed }) => isAllowed).length, 5);
    for (const start of starts) if (!start.isAllowed) assert.equal(start.waitMs, 1_000);
  });

  test("waits double up to a quarter of an hour, and a day forgets all", async (context) => {
    const { store } = await newFixture(context);
    let nowMs = t0;
    const waits: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      const start = await store.beginAttempt(subjects(2), nowMs);
      if (start.isAllowed) continue;
      waits.push(start.waitMs / 1_000);
      nowMs += start.waitMs;
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]);
    nowMs += 24 * 60 * minuteMs;
    for (let round = 0; round < 2; round += 1)
      assert.equal((await store.beginAttempt(subjects(2), nowMs)).isAllowed, true);
    assert.equal((await store.beginAttempt(subjects(2), nowMs)).isAllowed, false);
  });

  test("a refused attempt counts nowhere, one taken back leaves all as it was", async (context) => {
    const { store } = await newFixture(context);
    const both = [
      { subject: "kind:a", free: 1 },
      { subject: "kind:b", free: 2 },
    ];
    const first = await store.beginAttempt(both, t0);
    assert.equal((await store.beginAttempt(both, t0)).isAllowed, false);
    assert.equal((await store.beginAttempt([{ subject: "kind:b", free: 2 }], t0)).isAllowed, true);
    assert.equal((await store.beginAttempt([{ subject: "kind:b", free: 2 }], t0)).isAllowed, false);
    assert.ok(first.isAllowed);
    await store.undoAttempt(first.counted);
    const again = await store.beginAttempt([{ subject: "kind:a", free: 1 }], t0);
    assert.ok(again.isAllowed && again.counted[0]?.failures === 1);
    const late = await store.beginAttempt([{ subject: "kind:a", free: 1 }], t0 + 1_000);
    assert.ok(late.isAllowed);
    assert.equal((await store.beginAttempt([{ subject: "kind:a", free: 1 }], t0 + 1_000)).isAllowed, false);
    await store.undoAttempt(late.counted);
    assert.equal((await store.beginAttempt([{ subject: "kind:a", free: 1 }], t0 + 1_000)).isAllowed, true);
    await store.clearAttempts(["kind:a"]);
    const cleared = await store.beginAttempt([{ subject: "kind:a", free: 1 }], t0 + 1_000);
    assert.ok(cleared.isAllowed && cleared.counted[0]?.failures === 1);
  });
}

function makers(newFixture: NewFixture): void {
  test("the first maker of a token is found through those it was made with, and can be written down anew", async (context) => {
    const { store } = await newFixture(context);
    for (const [id, createdBy] of [
      ["otk_1", "settings"],
      ["otk_2", "otk_1"],
      ["otk_3", "otk_2"],
    ] as const)
      await store.createOperatorToken({
        ...{ id, name: id, visiblePrefix: "plz-op-abcd", digest: digestOf(id), createdBy },
        ...{ scopes: ["health:read"], createdAt: t0, expiresAt: null },
      });
    await store.createLink(link("made", { createdBy: "settings" }));
    await store.createLink(link("other", { createdBy: "usr_1" }));
    assert.equal(await store.findFirstMaker("otk_3"), "settings");
    assert.equal(await store.findFirstMaker("usr_1"), "usr_1");
    await store.bindMadeBy("settings", "settings:one");
    assert.equal(await store.findFirstMaker("otk_3"), "settings:one");
    assert.equal((await store.findOperatorToken(digestOf("otk_2")))?.createdBy, "otk_1");
    assert.equal((await store.findLink(digestOf("made")))?.createdBy, "settings:one");
    assert.equal((await store.findLink(digestOf("other")))?.createdBy, "usr_1");
  });
}

function tokens(newFixture: NewFixture): void {
  test("operator tokens are found by digest, listed newest first, revoked once", async (context) => {
    const { store } = await newFixture(context);
    const createdBy = await newUser(store, "ana", { isOperator: true });
    const token = (id: string, by: string | null) => ({
      id,
      name: `token ${id}`,
      visiblePrefix: "plz-op-abcd",
      digest: digestOf(id),
      scopes: ["accounts:read", "catalog:write"] as const,
      createdBy: by,
      createdAt: t0,
      expiresAt: t0 + 5,
    });
    await store.createOperatorToken(token("otk_1", createdBy));
    await store.createOperatorToken(token("otk_2", "usr_gone"));
    const { digest, ...shown } = token("otk_1", createdBy);
    assert.deepEqual(await store.findOperatorToken(digest), {
      ...shown,
      createdByEmail: "ana@x.test",
      usedAt: null,
      revokedAt: null,
    });
    await store.touchOperatorToken("otk_1", t0 + 1);
    assert.equal((await store.revokeOperatorToken("otk_1", t0 + 2))?.revokedAt, t0 + 2);
    assert.equal((await store.revokeOperatorToken("otk_1", t0 + 3))?.revokedAt, t0 + 2);
    assert.equal(await store.revokeOperatorToken("otk_none", t0), undefined);
    const listed = await store.listOperatorTokens({ limit: 10 });
    assert.deepEqual(
      listed.map(({ id, createdByEmail, usedAt }) => [id, createdByEmail, usedAt]),
      [
        ["otk_2", null, null],
        ["otk_1", "ana@x.test", t0 + 1],
      ],
    );
    assert.deepEqual((await store.listOperatorTokens({ limit: 10, afterId: "otk_2" })).length, 1);
  });

  test("a line of the audit log is begun, and ended with what became known", async (context) => {
    const { store } = await newFixture(context);
    const entry = {
      at: t0,
      actorKind: "user",
      actorId: "usr_1",
      actorName: "ana@x.test",
      accountId: null,
      action: "changeUser",
      subject: null,
      detail: null,
      ip: "127.0.0.1",
      requestId: "req_1",
      outcome: "begun",
    } as const;
    const first = await store.beginAudit(entry);
    const second = await store.beginAudit(entry);
    assert.ok(second > first);
    await store.endAudit(first, { outcome: "done", subject: "usr_2", detail: '{"a":1}' });
    const [untouched, ended] = await store.listAudit({ limit: 10 });
    assert.deepEqual(
      [ended?.outcome, ended?.subject, ended?.detail, ended?.actor.name],
      ["done", "usr_2", { a: 1 }, "ana@x.test"],
    );
    assert.deepEqual([untouched?.outcome, untouched?.subject], ["begun", null]);
    await store.dropAudit(second);
    assert.deepEqual(
      (await store.listAudit({ limit: 10 })).map(({ id }) => id),
      [first],
      "one that was dropped was never there",
    );
  });
}

export function signInBehaviour(newFixture: NewFixture): void {
  secondFactor(newFixture);
  attempts(newFixture);
  makers(newFixture);
  tokens(newFixture);
}
