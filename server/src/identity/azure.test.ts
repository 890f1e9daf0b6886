/** Azure: every source of tokens, against services written from their specifications. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { IdentityRequest } from "../providers/provider.ts";
import { now, type Reply, type Seen, withCloud } from "./testing/fake-cloud.ts";

const folder = mkdtempSync(join(tmpdir(), "plaza-identity-"));
after(() => rmSync(folder, { recursive: true }));

const resource = "https://cognitiveservices.azure.com";
const request: IdentityRequest = { cloud: "azure", scope: `${resource}/.default`, authority: undefined };
const client = "11111111-2222-3333-4444-555555555555";

/** A virtual machine's metadata service. Its numbers are texts. */
const instance = ({ method, path, query, headers }: Seen): Reply => {
  if (headers["metadata"] !== "true" || "x-forwarded-for" in headers) return 400;
  if (method !== "GET" || path !== "/metadata/identity/oauth2/token") return 404;
  if (query.get("api-version") !== "2018-02-01" || query.get("resource") !== resource)
    return { status: 400, body: { error: "invalid_resource", error_description: "SECRET" } };
  const id = query.get("client_id");
  if (id !== null && id !== client)
    return {
      status: 400,
      body: { error: "invalid_request", error_description: "Identity not found SECRET" },
    };
  return {
    access_token: id === null ? "eyJ.system" : "eyJ.user",
    refresh_token: "",
    expires_in: "86399",
    expires_on: String(now / 1_000 + 86_399),
    resource,
    token_type: "Bearer",
  };
};

test("a virtual machine: a token of its identity, or of the one named", async () => {
  await withCloud(instance, async (cloud) => {
    assert.deepEqual(await cloud.get(request, {}), { secret: "eyJ.system", expiresInSeconds: 86_399 });
    const named = await cloud.get(request, { AZURE_CLIENT_ID: client });
    assert.deepEqual(named, { secret: "eyJ.user", expiresInSeconds: 86_399 });
    const other = { AZURE_CLIENT_ID: "99999999-2222-3333-4444-555555555555" };
    await assert.rejects(cloud.get(request, other), (error: Error) => {
      assert.match(error.message, /this machine has no role/);
      assert.doesNotMatch(error.message, /SECRET/);
      return true;
    });
    const wrong = { ...request, scope: "https://other.example.com/.default" };
    await assert.rejects(cloud.get(wrong, {}), /\(400, invalid_resource\)$/);
  });
});

test("a metadata service that is busy, ill, silent or another one", async () => {
  const cases: readonly [Reply, RegExp, string][] = [
    [429, /\(429\)/, "server"],
    [500, /\(500\)/, "server"],
    [404, /\(404\)/, "refused"],
    ["<html>", /not with credentials/, "server"],
    [{ access_token: "eyJ" }, /not with credentials/, "server"],
    ["hang", /did not answer within 100 ms/, "network"],
  ];
  for (const [reply, text, kind] of cases) {
    await withCloud(
      () => reply,
      async (cloud) => {
        await assert.rejects(cloud.get(request, {}), (error: Error & { kind?: string }) => {
          assert.match(error.message, text);
          assert.equal(error.kind, kind);
          return true;
        });
      },
      { localMs: 100 },
    );
  }
});

test("App Service and Container Apps: the endpoint and the header of the environment", async () => {
  const endpoint = ({ path, query, headers }: Seen): Reply => {
    if (path !== "/msi/token" || query.get("api-version") !== "2019-08-01") return 404;
    if (headers["x-identity-header"] !== "853b9a84") return { status: 403, body: { error: "forbidden" } };
    const expires = String(now / 1_000 + 3_600);
    if (query.get("resource") !== resource) return 400;
    return { access_token: `eyJ.${query.get("client_id")}`, expires_on: expires, token_type: "Bearer" };
  };
  await withCloud(
    endpoint,
    async (cloud) => {
      const env = { IDENTITY_ENDPOINT: `${cloud.origin}/msi/token`, IDENTITY_HEADER: "853b9a84" };
      assert.deepEqual(await cloud.get(request, env), { secret: "eyJ.null", expiresInSeconds: 3_600 });
      const named = await cloud.get(request, { ...env, AZURE_CLIENT_ID: client });
      assert.deepEqual(named, { secret: `eyJ.${client}`, expiresInSeconds: 3_600 });
      await assert.rejects(cloud.get(request, { ...env, IDENTITY_HEADER: "x" }), /\(403, forbidden\)$/);
      const bad = { ...env, IDENTITY_ENDPOINT: "file:///etc/passwd" };
      await assert.rejects(cloud.get(request, bad), /IDENTITY_ENDPOINT is not set, or not usable/);
    },
    { nowMs: now - 7_200_000 },
  );
});

test("AKS: the pod's token in place of a secret, at the authority that is named", async () => {
  const file = join(folder, "federated");
  const entra = ({ method, path, form }: Seen): Reply => {
    if (method !== "POST" || path !== "/my-tenant/oauth2/v2.0/token") return 404;
    const isAsked =
      form.get("grant_type") === "client_credentials" &&
      form.get("client_id") === client &&
      form.get("scope") === request.scope &&
      form.get("client_assertion_type") === "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    if (!isAsked) return 400;
    return form.get("client_assertion") === "eyJ.pod.token"
      ? { token_type: "Bearer", expires_in: 3599, ext_expires_in: 3599, access_token: "eyJ.entra" }
      : { status: 401, body: { error: "invalid_client", error_description: "AADSTS700024 SECRET" } };
  };
  await withCloud(entra, async (cloud) => {
    writeFileSync(file, "eyJ.pod.token");
    const env = {
      AZURE_FEDERATED_TOKEN_FILE: file,
      AZURE_CLIENT_ID: client,
      AZURE_TENANT_ID: "my-tenant",
      AZURE_AUTHORITY_HOST: "https://login.microsoftonline.us/",
      // It comes before the others.
      IDENTITY_ENDPOINT: "http://localhost/",
      IDENTITY_HEADER: "x",
    };
    const found = { secret: "eyJ.entra", expiresInSeconds: 3_599 };
    assert.deepEqual(await cloud.get(request, env), found);
    const { AZURE_AUTHORITY_HOST: _, ...plain } = env;
    await cloud.get(request, plain);
    await cloud.get({ ...request, authority: "https://login.partner.microsoftonline.cn" }, env);
    assert.deepEqual(cloud.issuers, [
      "https://login.microsoftonline.us",
      "https://login.microsoftonline.com",
      "https://login.partner.microsoftonline.cn",
    ]);
    writeFileSync(file, "eyJ.old.token");
    await assert.rejects(cloud.get(request, env), /\(401, invalid_client\)$/);
    const calls = cloud.seen.length;
    const cases: readonly [Record<string, string>, RegExp][] = [
      [{ AZURE_CLIENT_ID: "" }, /AZURE_CLIENT_ID/],
      [{ AZURE_TENANT_ID: "../x" }, /AZURE_TENANT_ID/],
      [{ AZURE_AUTHORITY_HOST: "http://login.microsoftonline.com" }, /AZURE_AUTHORITY_HOST/],
      [{ AZURE_FEDERATED_TOKEN_FILE: join(folder, "gone") }, /AZURE_FEDERATED_TOKEN_FILE cannot be read/],
    ];
    for (const [change, text] of cases) await assert.rejects(cloud.get(request, { ...env, ...change }), text);
    assert.equal(cloud.seen.length, calls);
  });
});
