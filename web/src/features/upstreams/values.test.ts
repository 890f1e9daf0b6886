import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { fieldText } from "./field-word.ts";
import { credentialsIn, savedValues, upstreamChangeOf, upstreamFieldOf, upstreamValuesOf } from "./values.ts";

const shown: ShownUpstreamDocument = {
  id: "main",
  provider: "openai",
  preset: null,
  baseUrl: "https://example.com/v1",
  options: { region: "eu" },
  credentials: 2,
  headers: { "x-team": null },
  credentialsFault: null,
  timeouts: { connectMs: 5_000, firstByteMs: null, firstTokenMs: 240_000, idleMs: 500, totalMs: 900_000 },
  concurrency: null,
  queue: 5,
  affinity: "key",
  onDisconnect: "finish",
  models: [],
  source: "console",
  revision: 1,
};

test("an upstream that is saved unchanged keeps everything, and its credentials are not sent", () => {
  const sent = upstreamChangeOf(upstreamValuesOf(shown), shown);
  const {
    id: _,
    credentials: __,
    credentialsFault: ___,
    models: ____,
    source: _____,
    revision: ______,
    ...same
  } = shown;
  assert.deepEqual(sent, same);
  assert.equal("credentials" in sent, false);
});

test("headers keep what is stored, are replaced by what is typed, and are names again once saved", () => {
  const values = upstreamValuesOf({ ...shown, headers: { "x-team": null, "x-token": null } });
  const [team, token] = values.headers;
  const typed = { name: " X-Org ", value: " 1 ", isStored: false };
  const headers = [team, { ...token, name: "x-token", value: "new", isStored: true }, typed].filter(
    (one) => one !== undefined,
  );
  const changed = { ...values, headers: [...headers, { name: "", value: "", isStored: false }] };
  assert.deepEqual(upstreamChangeOf(changed, shown).headers, {
    "x-team": null,
    "x-token": "new",
    "X-Org": "1",
  });
  assert.deepEqual(
    savedValues({ ...changed, newCredentials: "sk-1" }).headers,
    ["x-team", "x-token", "x-org"].map((name) => ({ name, value: "", isStored: true })),
  );
});

test("replaced credentials are one a line; none is an empty list, not the old ones", () => {
  const values = upstreamValuesOf(shown);
  const replaced = upstreamChangeOf({ ...values, credentials: "replace", newCredentials: " a \n\nb" }, shown);
  assert.deepEqual(replaced.credentials, ["a", "b"]);
  assert.deepEqual(upstreamChangeOf({ ...values, credentials: "none" }, shown).credentials, []);
});

test("a key file is one credential", () => {
  assert.deepEqual(credentialsIn('{\n  "type": "service_account"\n}\n'), [
    '{\n  "type": "service_account"\n}',
  ]);
});

test("credentials that cannot be opened are asked for at once", () => {
  assert.equal(
    upstreamValuesOf({ ...shown, credentialsFault: "sealed with another key" }).credentials,
    "replace",
  );
});

test("a fault of a header or an option stands at the value in the row with that name", () => {
  const pair = (name: string) => ({ name, value: "", isStored: false });
  const values = {
    ...upstreamValuesOf(shown),
    headers: [pair("x-org"), pair(" X-Team "), pair("a.b")],
    options: [pair("region")],
  };
  assert.equal(upstreamFieldOf("headers.x-team", values), "headers.1.value");
  assert.equal(upstreamFieldOf("headers.a.b", values), "headers.2.value");
  assert.equal(upstreamFieldOf("options.region", values), "options.0.value");
  assert.equal(upstreamFieldOf("headers.gone", values), "headers");
  assert.equal(upstreamFieldOf("timeouts.idleMs", values), "idle");
  assert.equal(upstreamFieldOf("credentials.0", values), "newCredentials");
});

test("a conflict never shows the value of a header", () => {
  const header = { name: "x-team", value: "secret", isStored: false };
  assert.equal(fieldText("headers", [header]), "x-team");
  assert.equal(fieldText("headers.x-team", header), "x-team");
  assert.equal(fieldText("headers.x-team.value", "secret"), "••••");
  assert.equal(fieldText("options.region", { name: "region", value: "eu" }), "region: eu");
  assert.equal(fieldText("options", []), undefined);
  assert.equal(fieldText("baseUrl", "x"), undefined);
});
