/** Paths and headers of Azure's calls. The fixtures cover the answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { chatCodecOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { HttpProvider } from "../provider.ts";
import { azure } from "./azure.ts";
import { azureDescriptor } from "./descriptor.ts";

const application = "11111111-2222-3333-4444-555555555555:66666666-7777-8888-9999-000000000000:s:e~c&ret";

const upstreamOf = (more: Partial<Upstream> = {}): Upstream => ({
  id: "az",
  provider: "azure",
  baseUrl: "https://res.openai.azure.com",
  credentials: ["key-1", application],
  timeouts: defaultTimeouts,
  ...more,
});

const body = '{"model":"dep","messages":[{"role":"user","content":"Hi"}],"seed":9007199254740993}';
const request: ProviderRequest = {
  body: Buffer.from(body),
  spans: { model: { start: 9, end: 14 } },
  isStream: false,
};

const call = (more: Partial<Upstream> = {}, model = "dep", credential = "key-1") =>
  chatCodecOf(azure).encode(request, upstreamOf(more), credential, model);

test("classic and v1, with and without what the operator left out", () => {
  const v1 = "https://res.services.ai.azure.com/openai/v1";
  const cases: [Partial<Upstream>, string][] = [
    [{}, "/openai/deployments/dep/chat/completions?api-version=2024-10-21"],
    [
      { baseUrl: "https://res.openai.azure.com/openai" },
      "/openai/deployments/dep/chat/completions?api-version=2024-10-21",
    ],
    [
      { options: { apiVersion: "2025-04-01-preview" } },
      "/openai/deployments/dep/chat/completions?api-version=2025-04-01-preview",
    ],
    [
      { baseUrl: "https://gate.example/team/a" },
      "/team/a/openai/deployments/dep/chat/completions?api-version=2024-10-21",
    ],
    [{ baseUrl: v1 }, "/openai/v1/chat/completions"],
    [{ baseUrl: v1, options: { apiVersion: "preview" } }, "/openai/v1/chat/completions?api-version=preview"],
  ];
  for (const [more, path] of cases) assert.equal(call(more).path, path);
  assert.equal(
    call({}, "my dep/ä").path,
    "/openai/deployments/my%20dep%2F%C3%A4/chat/completions?api-version=2024-10-21",
  );
});

test("the body is the caller's, byte for byte, but for the model's name", () => {
  assert.equal(call().body, request.body);
  assert.equal(call({}, "other").body.toString(), body.replace('"dep"', '"other"'));
});

const headersOf = (more: Partial<Upstream>, credential: string): Map<string, string> => {
  const { headers } = call(more, "dep", credential);
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) =>
    headers.slice(index * 2, index * 2 + 2),
  );
  return new Map(pairs as [string, string][]);
};

test("a key goes into api-key, a token into authorization, never one into the other", () => {
  const withKey = headersOf({}, "key-1");
  assert.equal(withKey.get("api-key"), "key-1");
  assert.equal(withKey.has("authorization"), false);
  const withToken = headersOf({}, "made-from-the-application");
  assert.equal(withToken.get("authorization"), "Bearer made-from-the-application");
  assert.equal(withToken.has("api-key"), false);
  const ready = headersOf({ options: { auth: "bearer" } }, "key-1");
  assert.equal(ready.get("authorization"), "Bearer key-1");
  assert.equal(ready.has("api-key"), false);
  for (const [name, value] of [
    ["accept", "application/json"],
    ["accept-encoding", "identity"],
    ["user-agent", "plaza/0.1"],
    ["content-type", "application/json"],
  ] as const) {
    assert.equal(withKey.get(name), value);
  }
});

const asked = (credential: string, more: Partial<Upstream> = {}) =>
  azure.tokens?.call(credential, upstreamOf(more), 0);

test("an application's secret is exchanged at Entra, for the scope of its route", () => {
  const { origin, path, headers, body: form } = asked(application) ?? assert.fail("no call");
  assert.equal(origin, "https://login.microsoftonline.com");
  assert.equal(path, "/11111111-2222-3333-4444-555555555555/oauth2/v2.0/token");
  assert.ok(headers.includes("application/x-www-form-urlencoded"));
  assert.deepEqual(Object.fromEntries(new URLSearchParams(form.toString())), {
    grant_type: "client_credentials",
    client_id: "66666666-7777-8888-9999-000000000000",
    client_secret: "s:e~c&ret",
    scope: "https://cognitiveservices.azure.com/.default",
  });
  const v1 = asked(application, { baseUrl: "https://res.openai.azure.com/openai/v1" });
  assert.match(v1?.body.toString() ?? "", /scope=https%3A%2F%2Fai\.azure\.com%2F\.default/);
  const own = asked(application, {
    options: {
      authority: "https://login.microsoftonline.us",
      scope: "https://cognitiveservices.azure.us/.default",
    },
  });
  assert.equal(own?.origin, "https://login.microsoftonline.us");
  assert.match(own?.body.toString() ?? "", /azure\.us/);
});

test("keys and ready tokens are not exchanged; a tenant by its domain is, where the upstream says entra", () => {
  const domain = "contoso.onmicrosoft.com:66666666-7777-8888-9999-000000000000:secret";
  assert.equal(asked("key-1"), undefined);
  assert.equal(asked(domain), undefined);
  assert.equal(asked(application, { options: { auth: "key" } }), undefined);
  assert.equal(asked(application, { options: { auth: "bearer" } }), undefined);
  assert.equal(
    asked(domain, { options: { auth: "entra" } })?.path,
    "/contoso.onmicrosoft.com/oauth2/v2.0/token",
  );
  for (const bad of ["../x:id:s", "a/b:id:s", "tenant:id", "tenant::s"]) {
    assert.throws(() => asked(bad, { options: { auth: "entra" } }), /tenant:client:secret/, bad);
  }
});

test("a token is read with its life; anything else is none", () => {
  const read = (value: unknown) =>
    azure.tokens?.read(typeof value === "string" ? value : JSON.stringify(value));
  assert.deepEqual(read({ access_token: "t.o.k", expires_in: 3_599 }), {
    token: "t.o.k",
    expiresInSeconds: 3_599,
  });
  assert.deepEqual(read({ access_token: "t", expires_in: "60" }), { token: "t", expiresInSeconds: 60 });
  for (const bad of [
    "",
    "<html>",
    {},
    { access_token: "t" },
    { access_token: "t", expires_in: -1 },
    { access_token: "a\r\nb", expires_in: 1 },
    { access_token: 7, expires_in: 1 },
  ]) {
    assert.equal(read(bad), undefined);
  }
});

test("streams come without the filter's remarks, also from an upstream with a provider of its own", () => {
  const remark = { content_filter_results: { hate: { filtered: false } } };
  const events = [
    { id: "", created: 0, model: "", choices: [], prompt_filter_results: [remark] },
    { id: "1", choices: [{ index: 0, delta: { content: "a" }, ...remark }] },
  ];
  for (const provider of [azure, azure.forUpstream?.(upstreamOf({ credentials: ["key-1"] }))]) {
    const stream = chatCodecOf(provider as HttpProvider).translation?.stream({
      id: "c",
      createdSeconds: 1,
      model: "m",
      request,
    });
    const text = events
      .map((event) => stream?.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)))
      .join("");
    assert.equal(text, 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
  }
});

test("an upstream is looked at with its key; one with a secret to be exchanged is not looked at", () => {
  const probeOf = (more: Partial<Upstream>) =>
    (azure.forUpstream?.(upstreamOf(more)) as HttpProvider | undefined)?.probe?.(upstreamOf(more), "key-1");
  assert.equal(probeOf({}), undefined);
  const found = probeOf({ credentials: ["key-1"] });
  assert.equal(found?.path, "/openai/models?api-version=2024-10-21");
  assert.deepEqual(found?.headers.slice(-2), ["api-key", "key-1"]);
  assert.equal(
    probeOf({ credentials: ["key-1"], baseUrl: "https://res.openai.azure.com/openai/v1" })?.path,
    "/openai/v1/models",
  );
});

test("options take what they say", () => {
  const takes = (name: string, value: string) => azureDescriptor.needs.options?.[name]?.pattern.test(value);
  for (const [name, good, bad] of [
    ["apiVersion", "2024-12-01-preview", "2024"],
    ["auth", "entra", "none"],
    ["authority", "https://login.partner.microsoftonline.cn", "https://a@b"],
    ["authority", "http://127.0.0.1:8080", "http://login.example"],
    ["scope", "https://ai.azure.com/.default", "ai.azure.com"],
  ] as const) {
    assert.equal(takes(name, good), true, good);
    assert.equal(takes(name, bad), false, bad);
  }
});
