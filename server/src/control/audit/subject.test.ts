/**
 * The subject in the audit log before an action: for every route that changes something, and never a secret.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { subjectOf } from "./subject.ts";

const specs = Object.entries(apiRoutes as Readonly<Record<string, RouteSpec>>);
const changes = specs.filter(([, spec]) => spec.method !== "get" && spec.isAudited !== false);

/** A call in which every path part and field has its own name as value. */
const echo = new Proxy({}, { get: (_, name) => `<${String(name)}>` });

test("every change names its subject, but for those about whoever asks, or about nothing yet", () => {
  const silent = changes
    .filter(([, spec]) => subjectOf(spec, { params: echo, body: echo }) === undefined)
    .map(([name]) => name);
  assert.deepEqual(silent.sort(), [
    "beginTwoFactor",
    "changePassword",
    "changeProfile",
    "changeSettings",
    "confirmTwoFactor",
    "createCodes",
    "endOtherSessions",
    "endTwoFactor",
    "newRecoveryCodes",
    "redeem",
    "setLowBalance",
    "signIn",
    "signOut",
    "startLedgerCheck",
    "useLink",
  ]);
});

test("a template fits its route: what stands in braces is in the path or in the body", () => {
  for (const [name, { subject = [], path, body }] of specs) {
    const fields = Object.keys((body as { shape?: Record<string, unknown> } | undefined)?.shape ?? {});
    for (const [, part = ""] of [subject]
      .flat()
      .join(" ")
      .matchAll(/\{(\w+)\}/g))
      assert.ok(path.includes(`{${part}}`) || fields.includes(part), `${name}: ${part}`);
  }
});

test("the last id of the path is the subject; a template takes the first that is complete, and is cut", () => {
  const of = (name: string, params: object, body?: object) =>
    subjectOf(apiRoutes[name as keyof typeof apiRoutes], { params, body });
  assert.equal(of("revokeAccountKey", { id: "acc_1", keyId: "key_1" }), "key_1");
  assert.equal(of("changeModel", { id: "maker/large" }), "model maker/large");
  assert.equal(of("connect", {}, { upstreamId: null, id: "mine", service: "x" }), "upstream mine");
  assert.equal(of("connect", {}, { upstreamId: null, id: null, service: null }), undefined);
  assert.equal(of("createAccount", {}, { name: "n".repeat(400) })?.length, 300);
  // A link's token grants access.
  assert.equal(of("useLink", { token: "secret" }, { password: "secret" }), undefined);
});
