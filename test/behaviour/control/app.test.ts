/** Rules for every route: access, input, the common error shape, and a matching OpenAPI document. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { handlers } from "../../../server/src/control/handlers/index.ts";
import { startConsole } from "../harness/console-rig.ts";

const specs = Object.entries(apiRoutes) as [string, RouteSpec][];

test("the OpenAPI document lists exactly the routes there are", async (context) => {
  const { nobody } = await startConsole(context);
  const { status, body } = await nobody.call("GET", "/openapi.json");
  assert.equal(status, 200);
  assert.equal(body.openapi, "3.1.0");
  const described: string[] = Object.entries(
    body.paths as Record<string, Record<string, { operationId: string }>>,
  )
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    )
    .sort();
  const outside = "get /api/upstreams listProcessStates";
  assert.deepEqual(
    described,
    [...specs.map(([name, { method, path }]) => `${method} /api${path} ${name}`), outside].sort(),
  );
  assert.deepEqual(Object.keys(handlers).sort(), specs.map(([name]) => name).sort());
  const { changeUser } = { changeUser: body.paths["/api/operator/users/{id}"].patch };
  assert.deepEqual(changeUser.security, [{ session: [] }, { operatorToken: ["accounts:write"] }]);
  assert.ok(changeUser.requestBody.content["application/json"].schema.properties.revision);
});

test("paths are unambiguous, and only operators' routes take tokens", () => {
  const shapes = specs.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
  assert.equal(new Set(shapes).size, shapes.length);
  for (const [name, { access, scope, method, body }] of specs) {
    assert.ok(scope === undefined || access === "operator", name);
    assert.ok(method !== "get" || body === undefined, name);
  }
});

test("what is asked is read only after who asks", async (context) => {
  const { nobody, as } = await startConsole(context);
  const wrong = { email: 7 };
  assert.equal((await nobody.call("POST", "/members/invitations", wrong)).status, 401);
  assert.equal((await as("member").call("POST", "/members/invitations", wrong)).status, 403);
  const { status, body } = await as("owner").call("POST", "/members/invitations", wrong);
  assert.equal(status, 400);
  assert.equal(body.error.code, "invalid_request");
  assert.deepEqual(
    body.error.fields.map(({ path }: { path: string }) => path),
    ["email", "role"],
  );
});

test("bodies that are no JSON, or too much of it, are refused in the one shape", async (context) => {
  const { as, url } = await startConsole(context);
  const { call, cookie, csrf } = as("owner");
  const path = "/members/invitations";
  const json = { "content-type": "application/json" };
  const malformed = await call("POST", path, "{", json);
  assert.deepEqual([malformed.status, malformed.body.error.code], [400, "invalid_request"]);
  const form = await call("POST", path, "email=a", { "content-type": "application/x-www-form-urlencoded" });
  assert.deepEqual([form.status, form.body.error.code], [415, "unsupported_media_type"]);
  const large = await call("POST", path, JSON.stringify({ email: "a".repeat(5 * 1024 * 1024) }), json);
  assert.deepEqual([large.status, large.body.error.code], [413, "request_too_large"]);

  const chunked = (pieces: readonly string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...json, cookie, "x-plaza-csrf": csrf, "transfer-encoding": "chunked" };
      const sent = request(`${url}/api${path}`, { method: "POST", headers }, (res) => {
        res.resume();
        resolve(res.statusCode);
      });
      sent.on("error", reject);
      for (const piece of pieces) sent.write(piece);
      sent.end();
    });
  assert.equal(await chunked(['{"email":"new@a.te', 'st","role":"member"}']), 201);
  assert.equal(await chunked(['{"email":"', "a".repeat(5 * 1024 * 1024)]), 413);
});

test("unknown paths and methods say so", async (context) => {
  const { nobody } = await startConsole(context);
  const missing = await nobody.call("GET", "/nothing");
  assert.deepEqual([missing.status, missing.body.error.code], [404, "not_found"]);
  const method = await nobody.call("PUT", "/session", {});
  assert.deepEqual([method.status, method.body.error.code], [405, "method_not_allowed"]);
  assert.deepEqual(method.headers.get("allow")?.split(", ").sort(), ["DELETE", "GET", "POST"]);
});

test("changes are written into the audit log as begun, then how they ended, without what was sent", async (context) => {
  const { as, store, accountA, nobody } = await startConsole(context);
  const ended: unknown[] = [];
  const { beginAudit, endAudit } = store;
  const seen: { entry: unknown; id: number }[] = [];
  store.beginAudit = async (entry) => {
    const id = await beginAudit(entry);
    seen.push({ entry, id });
    return id;
  };
  store.endAudit = async (id, end) => {
    ended.push(end);
    await endAudit(id, end);
  };
  const owner = as("owner");
  await owner.call("GET", "/members");
  assert.equal(seen.length, 0, "reading is not written down");
  const { body } = await owner.call("POST", "/members/invitations", { email: "new@a.test", role: "member" });
  assert.deepEqual(ended, [
    {
      outcome: "done",
      accountId: accountA,
      subject: body.id,
      detail: JSON.stringify({ email: "new@a.test", role: "member", isOperator: false, accountId: accountA }),
    },
  ]);
  const { entry } = seen[0] as { entry: Record<string, unknown> };
  assert.deepEqual(
    { ...entry, at: 0, requestId: "" },
    {
      at: 0,
      actorKind: "user",
      actorId: owner.userId,
      actorName: "owner@a.test",
      accountId: accountA,
      action: "inviteMember",
      subject: "new@a.test",
      detail: null,
      ip: "127.0.0.1",
      requestId: "",
      outcome: "begun",
    },
  );
  await owner.call("DELETE", "/members/invitations/lnk_absent");
  assert.equal((ended[1] as { outcome: string }).outcome, "refused");
  await nobody.call("POST", "/session", { email: "who@a.test", password: "my secret password" });
  await nobody.call("POST", "/session", { email: "owner@a.test", password: "my secret password" });
  const signIns = seen.slice(2).map(({ entry: one }) => one as Record<string, unknown>);
  assert.deepEqual(
    signIns.map(({ action, actorName, outcome, detail }) => [action, actorName, outcome, detail]),
    [
      ["signIn", "unknown", "refused", '{"reason":"unknown email"}'],
      ["signIn", "owner@a.test", "refused", '{"reason":"wrong password"}'],
    ],
  );
  assert.doesNotMatch(JSON.stringify([seen, ended]), /secret|who@/);
});

test("a refused act names what it was about, and an ephemeral key of the playground is no line", async (context) => {
  const { as, store, accountA } = await startConsole(context);
  const [owner, operator] = [as("owner"), as("operator")];
  const { body } = await owner.call("POST", "/keys", { name: "k" });
  const refused: [asker: typeof owner, method: string, path: string, body?: object][] = [
    [owner, "POST", "/keys/key_absent/revoke"],
    [owner, "PATCH", `/keys/${body.key.id}`, { name: "stale", revision: 99 }],
    [owner, "DELETE", "/members/usr_absent"],
    [operator, "POST", `/operator/accounts/${accountA}/keys/key_absent/revoke`],
    [operator, "POST", `/operator/accounts/${accountA}/entries`, { kind: "adjustment", amount: "1" }],
    [operator, "PUT", "/operator/models/absent", { deployments: [], revision: 0 }],
    [operator, "POST", "/operator/upstreams", { id: "broken", provider: "nobody" }],
    [operator, "DELETE", "/operator/tokens/tok_absent"],
  ];
  for (const [asker, method, path, sent] of refused) {
    const { status } = await asker.call(method, path, sent);
    assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`);
  }
  assert.equal((await owner.call("POST", `/keys/${body.key.id}/ephemeral-key`)).status, 201);
  assert.equal((await owner.call("POST", "/keys/key_absent/ephemeral-key")).status, 404);
  const lines = (await store.listAudit({ limit: 50 })).reverse();
  assert.deepEqual(
    lines.slice(1).map(({ action, subject, outcome }) => [action, subject, outcome]),
    [
      ["revokeKey", "key_absent", "refused"],
      ["changeKey", body.key.id, "refused"],
      ["removeMember", "usr_absent", "refused"],
      ["revokeAccountKey", "key_absent", "refused"],
      ["addEntry", accountA, "refused"],
      ["changeModel", "model absent", "refused"],
      ["createUpstream", "upstream broken", "refused"],
      ["revokeToken", "tok_absent", "refused"],
    ],
  );
  assert.deepEqual([lines[0]?.action, lines[0]?.subject], ["createKey", body.key.id]);
});

test("nothing is done that cannot be written into the audit log", async (context) => {
  const { as, store } = await startConsole(context);
  store.beginAudit = () => Promise.reject(new Error("no"));
  const { status } = await as("owner").call("PATCH", "/profile", { name: "Changed" });
  assert.equal(status, 500);
  assert.equal((await as("owner").call("GET", "/session")).body.user.name, "owner");
});
