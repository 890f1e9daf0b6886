/**
 * Editing the catalog in the console over HTTP: shown values, validation, concurrent edits, ids with slashes,
 * 2,000 models; and the connect wizard with upstreams that have a model list, a broken one, or none.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Catalog, defaultTimeouts } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type CatalogRow, priceOf } from "../../../server/src/domain/catalog/model-catalog.ts";
import { providers } from "../../../server/src/providers/index.ts";
import { startConsole } from "../harness/console-rig.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

/** No response may contain it. */
const secret = "sk-secret-of-the-test-0123456789";

const ofFile: Catalog = {
  upstreams: [
    {
      id: "main",
      provider: "openai",
      baseUrl: "http://127.0.0.1:9/v1",
      credentials: [secret],
      timeouts: defaultTimeouts,
    },
  ],
  models: [
    {
      id: "from-file",
      name: "From the file",
      price: { input: nanoUsd(1n), output: nanoUsd(2n) },
      deployments: [{ upstream: "main", model: "x", priority: 1, weight: 1 }],
    },
  ],
  limits: {},
};

const row: CatalogRow = {
  id: "listed",
  name: "A listed model",
  family: "qwen",
  context: 1_000,
  modalities: { input: ["text", "image"], output: ["text"] },
  capabilities: { tools: true, reasoning: false },
  price: { input: "0.5", output: "1.5", cachedInput: "0.05" },
  laterPrices: [{ validFrom: "2099-01-01", input: "1", output: "3" }],
  source: "@some/prices@1.2.3",
  date: "2026-01-23",
};

let upstream: ScriptedUpstream;
before(async () => {
  upstream = await startScriptedUpstream();
});
after(() => upstream.stop());

/** A console whose responses are all searched for the secret. */
async function open(test: Parameters<typeof startConsole>[0]) {
  const rig = await startConsole(test, {
    catalog: ofFile,
    // Prices of Ollama's models are known wherever it runs.
    modelCatalog: async () => ({
      findModel: (provider, name) =>
        provider === "ollama" && name === "listed" ? { sure: "exact", by: [], row } : undefined,
      listModels: () => [row],
    }),
  });
  const operator = rig.as("operator");
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await operator.call(method, `/operator${path}`, body);
    assert.ok(!JSON.stringify(answer.body).includes(secret), "a credential was shown");
    return answer;
  };
  /** Calls the API and asserts success; returns the body. */
  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  /** Asserts a refusal with this code; returns the paths of the invalid fields. */
  const refused = async (code: string, status: number, method: string, path: string, body?: unknown) => {
    const changes = await rig.store.lastChangeId();
    const answer = await call(method, path, body);
    assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body));
    assert.equal(await rig.store.lastChangeId(), changes);
    return answer.body.error as { message: string; fields?: { path: string; message: string }[] };
  };
  return { rig, call, ok, refused };
}

const at = (id: string) => encodeURIComponent(id);
const price = { input: "0.25", output: "2.00" };
const form = (id: string, changes: object = {}) => ({
  id,
  name: `Model ${id}`,
  price,
  deployments: [{ upstream: "mine", model: "its-name" }],
  ...changes,
});
const mine = { id: "mine", provider: "openai", baseUrl: "http://127.0.0.1:9/v1", credentials: [secret] };
const asListed = (ids: readonly string[]) => ({
  body: { object: "list", data: ids.map((id) => ({ id, object: "model" })) },
});

test("an upstream and a model are made, shown, changed and removed", async (context) => {
  const { ok, rig } = await open(context);
  assert.deepEqual(await ok("POST", "/upstreams", { ...mine, timeouts: { idleMs: 7 } }), {
    id: "mine",
    revision: 0,
  });
  const id = "vendor/a-model:v1@x";
  const whole = form(id, {
    family: "Somebody",
    operations: ["completion", "chat"],
    capabilities: ["tools"],
    deprecated: "2090-01-31",
    modalities: { input: ["text"], output: ["text"] },
    scheduledPrices: [{ ...price, input: "1", validFrom: "2090-01-01" }],
    limits: { requestsPerMinute: 5, tokensPerMinute: null, concurrency: null },
    fallbacks: ["from-file"],
    hedge: { afterMs: null },
  });
  assert.deepEqual(await ok("POST", "/models", whole), { id, revision: 0 });
  const shown = await ok("GET", "/catalog");
  const [, shownMine] = shown.upstreams;
  assert.deepEqual(
    [shownMine.id, shownMine.credentials, shownMine.credentialsFault, shownMine.source, shownMine.models],
    ["mine", 1, null, "console", [id]],
  );
  assert.deepEqual(shownMine.timeouts, { ...defaultTimeouts, firstByteMs: null, idleMs: 7 });
  const { createdAt, ...model } = shown.models[1];
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 600_000);
  assert.deepEqual(model, {
    id,
    name: `Model ${id}`,
    description: null,
    operations: ["chat", "completion"],
    family: "Somebody",
    context: null,
    maxOutput: null,
    modalities: { input: ["text"], output: ["text"] },
    capabilities: ["tools"],
    deprecated: "2090-01-31T00:00:00.000Z",
    disabled: false,
    price: { input: "0.25", output: "2.00" },
    scheduledPrices: [{ validFrom: "2090-01-01T00:00:00.000Z", input: "1.00", output: "2.00" }],
    deployments: [
      {
        upstream: "mine",
        model: "its-name",
        priority: 1,
        weight: 1,
        cost: null,
        timeouts: null,
        formats: null,
      },
    ],
    limits: { requestsPerMinute: 5, tokensPerMinute: null, concurrency: null },
    fallbacks: ["from-file"],
    hedge: { afterMs: null },
    status: "available",
    source: "console",
    revision: 0,
  });
  // A shown document can be sent back unchanged.
  assert.deepEqual(await ok("PUT", `/models/${at(id)}`, { ...model, name: "Ünïcode 🦜 שלום" }), {
    id,
    revision: 1,
  });
  assert.equal((await ok("GET", `/models/${at(id)}/prices`)).prices.length, 2);
  const { credentials: _, models: __, ...asShown } = shownMine;
  assert.deepEqual(await ok("PUT", "/upstreams/mine", { ...asShown, concurrency: 3 }), {
    id: "mine",
    revision: 1,
  });
  assert.deepEqual((await rig.store.openUpstream("mine"))?.credentials, [secret]);
  await ok("DELETE", `/models/${at(id)}?revision=1`);
  await ok("DELETE", "/upstreams/mine?revision=1");
  assert.deepEqual((await ok("GET", "/catalog")).upstreams.length, 1);
  assert.deepEqual(
    (await ok("GET", `/models/${at(id)}/prices`)).prices.map(({ state }: { state: string }) => state),
    ["scheduled", "current"],
  );
});

test("of two tabs the second is told, and the file's things are only shown", async (context) => {
  const { ok, refused } = await open(context);
  await ok("POST", "/upstreams", mine);
  await ok("POST", "/models", form("m"));
  const { id: _, ...change } = form("m", { name: "First tab" });
  await ok("PUT", "/models/m", { ...change, revision: 0 });
  await refused("changed_meanwhile", 409, "PUT", "/models/m", { ...change, name: "Second tab", revision: 0 });
  await refused("changed_meanwhile", 409, "DELETE", "/models/m?revision=0");
  await ok("PUT", "/limits", limits(3, 0));
  await refused("changed_meanwhile", 409, "PUT", "/limits", limits(4, 0));
  const { id: __, ...upstreamChange } = { ...mine, credentials: undefined };
  await ok("PUT", "/upstreams/mine", { ...upstreamChange, queue: 5, revision: 0 });
  await refused("changed_meanwhile", 409, "PUT", "/upstreams/mine", { ...upstreamChange, revision: 0 });

  await refused("managed_by_file", 409, "PUT", "/models/from-file", { ...change, revision: 0 });
  await refused("managed_by_file", 409, "DELETE", "/models/from-file?revision=0");
  await refused("managed_by_file", 409, "DELETE", "/upstreams/main?revision=0");
  await refused("managed_by_file", 409, "PUT", "/upstreams/main", { ...upstreamChange, revision: 0 });
  await refused("already_exists", 409, "POST", "/models", form("from-file"));
  await refused("already_exists", 409, "POST", "/upstreams", mine);
  await refused("not_found", 404, "PUT", "/models/nobody", { ...change, revision: 0 });
  await refused("not_found", 404, "GET", "/models/nobody/prices");
  const used = await refused("invalid_request", 400, "DELETE", "/upstreams/mine?revision=1");
  assert.match(used.message, /Models use this upstream: m\./);
});

const limits = (concurrency: number, revision: number) => {
  const none = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
  return { limits: { ...none, concurrency }, installation: none, revision };
};

test("faults are told beside their fields", async (context) => {
  const { ok, refused } = await open(context);
  await ok("POST", "/upstreams", mine);
  const bad: [object, string][] = [
    [form("two words"), "id"],
    [form("🦜"), "id"],
    [form("m", { name: "x".repeat(300) }), "name"],
    [form("m", { name: "two\nlines" }), "name"],
    [form("m", { price: { input: "1,5", output: "1" } }), "price.input"],
    [form("m", { price: { input: "1" } }), "price.output"],
    [form("m", { context: "many" }), "context"],
    [form("m", { deployments: [{ upstream: "gone", model: "x" }] }), "deployments.0.upstream"],
    [form("m", { fallbacks: ["gone"] }), "fallbacks.0"],
    [form("m", { limits: { requestsPerMinute: -1 } }), "limits.requestsPerMinute"],
    [form("m", { deprecated: "soon" }), "deprecated"],
  ];
  for (const [body, path] of bad) {
    const { fields } = await refused("invalid_request", 400, "POST", "/models", body);
    assert.deepEqual(
      fields?.map((field) => field.path),
      [path],
    );
    assert.match(fields?.[0]?.message ?? "", /^[A-Z"].*\.?$/s);
  }
  const lost = form("m", { deployments: [{ upstream: "gone", model: "x" }] });
  const told: { id?: string; params?: unknown; fields?: unknown } = await refused(
    "invalid_request",
    400,
    "POST",
    "/models",
    lost,
  );
  const guess = { id: "file.candidates", params: { what: "upstreams", listed: "main, mine" } };
  const fault = {
    id: "form.sentence",
    params: { text: { id: "file.upstreamUnknown", params: { given: '"gone"', guess } } },
  };
  const path = "deployments.0.upstream";
  const message = 'Unknown upstream "gone" (upstreams: main, mine).';
  assert.deepEqual(
    [told.id, told.params, told.fields],
    ["form.atField", { path, fault }, [{ path, message, ...fault }]],
  );
  await ok("POST", "/upstreams", { ...mine, id: "groq", preset: "groq", baseUrl: undefined });
  const unserved = { operations: ["chat", "completion"], deployments: [{ upstream: "groq", model: "x" }] };
  const { fields } = await refused("invalid_request", 400, "POST", "/models", form("m", unserved));
  assert.deepEqual([fields?.[0]?.path, fields?.length], ["operations", 1]);
  assert.match(fields?.[0]?.message ?? "", /upstreams serves completion/);
  await ok("POST", "/models", form("m".repeat(128), { name: "n".repeat(200) }));
  for (const baseUrl of ["file:///etc/passwd", `https://u:${secret}@x/v1`, "https://x/v1?k=1", "x"]) {
    const { fields } = await refused("invalid_request", 400, "POST", "/upstreams", {
      ...mine,
      id: "n",
      baseUrl,
    });
    assert.equal(fields?.[0]?.path, "baseUrl");
  }
  // Text that looks like a variable stays text.
  await ok("POST", "/models", form("literal", { name: `$$ and \${HOME}` }));
  const { models } = await ok("GET", "/catalog");
  assert.equal(models.at(-1).name, `$$ and \${HOME}`);
});

test("stored credentials do not move to another address", async (context) => {
  const { ok, refused, rig } = await open(context);
  await ok("POST", "/upstreams", mine);
  const { id: _, credentials: __, ...change } = mine;
  const elsewhere = { ...change, baseUrl: "http://127.0.0.1:10/v1", revision: 0 };
  const { fields } = await refused("invalid_request", 400, "PUT", "/upstreams/mine", elsewhere);
  assert.deepEqual(
    fields?.map(({ path }) => path),
    ["credentials"],
  );
  await refused("invalid_request", 400, "PUT", "/upstreams/mine", { ...elsewhere, provider: "anthropic" });
  await ok("PUT", "/upstreams/mine", { ...change, baseUrl: "http://127.0.0.1:9/v2", revision: 0 });
  await ok("PUT", "/upstreams/mine", { ...elsewhere, credentials: ["sk-new"], revision: 1 });
  assert.deepEqual((await rig.store.openUpstream("mine"))?.credentials, ["sk-new"]);
});

test("a model is disabled by a revision, stays so when it is changed, and is shown to operators alone", async (context) => {
  const { ok, refused, rig } = await open(context);
  await ok("POST", "/upstreams", mine);
  await ok("POST", "/models", form("m"));
  const stateOf = async (id: string) => {
    const found = (await ok("GET", "/catalog")).models.find((one: { id: string }) => one.id === id);
    return [found.disabled, found.status, found.revision];
  };
  const isSeen = async () => {
    rig.clock.add(10_000);
    const owner = rig.as("owner");
    const ids = (models: readonly { readonly id: string }[]) => models.some(({ id }) => id === "m");
    const [plaza, status] = [await owner.call("GET", "/plaza"), await owner.call("GET", "/status")];
    const pages = await Promise.all(["/plaza/m", "/status/m"].map((path) => owner.call("GET", path)));
    return [ids(plaza.body.models), ids(status.body.models), ...pages.map((one) => one.status === 200)];
  };
  assert.deepEqual(await isSeen(), [true, true, true, true]);
  assert.deepEqual(await ok("PATCH", "/models/m", { disabled: true, revision: 0 }), { id: "m", revision: 1 });
  assert.deepEqual(await stateOf("m"), [true, "disabled", 1]);
  assert.deepEqual(await isSeen(), [false, false, false, false]);
  await refused("changed_meanwhile", 409, "PATCH", "/models/m", { disabled: false, revision: 0 });
  assert.deepEqual(await ok("PATCH", "/models/m", { disabled: true, revision: 0 }), { id: "m", revision: 1 });
  const { id: _, ...change } = form("m", { name: "Another" });
  assert.deepEqual(await ok("PUT", "/models/m", { ...change, revision: 1 }), { id: "m", revision: 2 });
  assert.deepEqual(await stateOf("m"), [true, "disabled", 2]);
  assert.equal((await ok("PATCH", "/models/m", { disabled: false, revision: 2 })).revision, 3);
  assert.deepEqual(await stateOf("m"), [false, "available", 3]);
  assert.equal((await ok("PUT", "/models/m", { ...change, disabled: true, revision: 3 })).revision, 4);
  assert.deepEqual(await stateOf("m"), [true, "disabled", 4]);
  await ok("POST", "/models", form("born-disabled", { disabled: true }));
  assert.deepEqual(await stateOf("born-disabled"), [true, "disabled", 0]);
  await refused("managed_by_file", 409, "PATCH", "/models/from-file", { disabled: true, revision: 0 });
  await refused("not_found", 404, "PATCH", "/models/gone", { disabled: true, revision: 0 });
  const { entries } = (await rig.as("operator").call("GET", "/operator/audit")).body;
  const states = entries.filter(({ action }: { action: string }) => action === "changeModelState");
  assert.deepEqual(
    states.map((entry: { subject: string; outcome: string; detail: unknown }) => [
      entry.subject,
      entry.outcome,
      entry.detail,
    ]),
    [
      ["model gone", "refused", { disabled: true }],
      ["model from-file", "refused", { disabled: true }],
      ["model m", "done", { disabled: false }],
      ["model m", "refused", { disabled: false }],
      ["model m", "done", { disabled: true }],
    ],
  );
});

test("the audit log says what was done to the catalog, and holds no secret", async (context) => {
  const { ok, refused, rig } = await open(context);
  await ok("POST", "/upstreams", mine);
  const { id: _, ...change } = { ...mine, revision: 0, baseUrl: `http://u:${secret}@127.0.0.1:9/v1` };
  await refused("invalid_request", 400, "PUT", "/upstreams/mine", change);
  await refused("invalid_request", 400, "POST", "/connect/check", {
    baseUrl: change.baseUrl,
    credential: secret,
  });
  await ok("POST", "/connect", { ...aim(), id: "more", models: [{ upstreamModel: "x", id: "m" }] });
  await ok("DELETE", "/models/m?revision=0");
  const { body } = await rig.as("operator").call("GET", "/operator/audit");
  const lines = body.entries.map((entry: { action: string; subject: string; outcome: string }) =>
    [entry.action, entry.subject ?? "-", entry.outcome].join(" "),
  );
  assert.deepEqual(lines.slice(0, 5).reverse(), [
    "createUpstream upstream mine done",
    "changeUpstream upstream mine refused",
    "checkConnection - refused",
    "connect upstream more done",
    "removeModel model m done",
  ]);
  assert.ok(!JSON.stringify(body).includes(secret));
});

const aim = () => ({ service: "ollama", baseUrl: upstream.baseUrl, credential: secret });

test("the wizard lists models with prices, and connects what is confirmed", async (context) => {
  const { ok, rig } = await open(context);
  const names = ["listed", "unknown", "vendor/model", "an emoji 🦜", "from-file"];
  upstream.answerWith(asListed(names));
  const before = await rig.store.lastChangeId();
  const checked = await ok("POST", "/connect/check", aim());
  assert.equal(upstream.calls[0]?.headers.authorization, `Bearer ${secret}`);
  assert.equal(await rig.store.lastChangeId(), before);
  assert.deepEqual(checked.upstream, {
    id: "ollama",
    provider: "openai",
    preset: "ollama",
    baseUrl: upstream.baseUrl,
    options: {},
    isThere: false,
    sameAs: null,
  });
  assert.deepEqual([checked.isChecked, checked.hasNoList, checked.isCut], [true, false, false]);
  assert.deepEqual(checked.models[0], {
    upstreamModel: "listed",
    id: "listed",
    name: "A listed model",
    action: "add",
    reason: null,
    reasonMessage: null,
    operations: ["chat"],
    family: "Qwen",
    context: 1_000,
    maxOutput: null,
    modalities: { input: ["text", "image"], output: ["text"] },
    capabilities: ["tools"],
    isDeprecated: false,
    price: { input: "0.5", output: "1.5", cachedInput: "0.05" },
    priceSource: { name: "@some/prices@1.2.3", date: "2026-01-23", isOld: true },
    listPrice: null,
    laterPrices: [{ validFrom: "2099-01-01", input: "1", output: "3" }],
    isOtherSpelling: false,
    isPriced: true,
  });
  assert.deepEqual(
    checked.models.map((one: { id: string; action: string; price: unknown }) => [
      one.id,
      one.action,
      one.price === null,
    ]),
    [
      ["listed", "add", false],
      ["unknown", "add", true],
      ["vendor/model", "add", true],
      ["an-emoji", "add", true],
      ["from-file", "leave", true],
    ],
  );
  const models = checked.models
    .slice(0, 4)
    .map((one: { laterPrices: unknown }) => ({ ...one, scheduledPrices: one.laterPrices }));
  const made = await ok("POST", "/connect", { ...aim(), id: "ollama", models });
  assert.deepEqual(made, {
    upstream: "ollama",
    added: ["listed", "unknown", "vendor/model", "an-emoji"],
    joined: [],
  });
  const stored = await rig.store.loadCatalog();
  assert.deepEqual(stored?.upstreams[1]?.credentials, [secret]);
  const listed = stored?.models.find(({ id }) => id === "listed");
  assert.deepEqual([listed?.family, listed?.capabilities, listed?.source], ["Qwen", ["tools"], "console"]);
  assert.deepEqual(listed?.scheduledPrices, [
    { validFrom: Date.parse("2099-01-01T00:00:00Z"), price: priceOf({ input: "1", output: "3" }) },
  ]);
  assert.equal(stored?.models.find(({ id }) => id === "an-emoji")?.deployments[0]?.model, "an emoji 🦜");

  // A second check, of the upstream's current state.
  const again = await ok("POST", "/connect/check", { upstreamId: "ollama" });
  assert.deepEqual([again.upstream.id, again.upstream.isThere], ["ollama", true]);
  assert.deepEqual(
    again.models.map((one: { action: string }) => one.action),
    ["present", "present", "present", "present", "leave"],
  );
  const second = await ok("POST", "/connect/check", aim());
  assert.deepEqual([second.upstream.id, second.upstream.sameAs], ["ollama-2", "ollama"]);
  const joined = await ok("POST", "/connect", { ...aim(), id: "spare", models: [models[0]] });
  assert.deepEqual([joined.added, joined.joined], [[], ["listed"]]);
});

test("a connection that does not work is one sentence, and nothing is written", async (context) => {
  const { ok, refused, rig } = await open(context);
  const page = { body: "<!doctype html><title>Welcome</title>", headers: { "content-type": "text/html" } };
  const cases: [ScriptedAnswer, string | undefined, RegExp][] = [
    [
      { status: 401, body: { error: { message: `Incorrect key ${secret}` } } },
      "credential",
      /rejects the credential \(401\); nothing was saved\.$/,
    ],
    [page, undefined, /returned a web page instead of a list/],
    [{ status: 500, body: {} }, undefined, /returned status 500 instead of a list of models\.$/],
    [{ status: 302, headers: { location: `http://x:${secret}@127.0.0.1:1/` } }, undefined, /redirects to/],
    [{ body: "{", ending: "cut" }, undefined, /[Cc]annot reach/],
  ];
  for (const [answer, path, message] of cases) {
    upstream.answerWith(answer);
    const error = await refused("invalid_request", 400, "POST", "/connect/check", aim());
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /--|npx/);
    assert.equal(error.fields?.[0]?.path, path);
  }
  upstream.answerWith({ status: 404, body: {} });
  const none = await ok("POST", "/connect/check", aim());
  assert.deepEqual([none.hasNoList, none.models], [true, []]);
  const named = await ok("POST", "/connect/check", { ...aim(), models: ["listed"] });
  assert.deepEqual(
    [named.hasNoList, named.models[0].id, named.models[0].price.input],
    [true, "listed", "0.5"],
  );
  const bad: [object, string][] = [
    [{}, "service"],
    [{ service: "opnai" }, "service"],
    [{ service: "openai" }, "credential"],
    [{ service: "openai", credential: "two\nlines" }, "credential"],
    [{ service: "azure", credential: secret }, "baseUrl"],
    [{ baseUrl: "file:///etc/passwd" }, "baseUrl"],
    [{ service: "openai", useEnvironment: "PLAZA_SECRET_KEY" }, "useEnvironment"],
    [{ service: "bedrock", credential: secret, options: { region: "??" } }, "baseUrl"],
  ];
  for (const [body, path] of bad) {
    const { fields, message } = await refused("invalid_request", 400, "POST", "/connect/check", body);
    assert.deepEqual(
      fields?.map((field) => field.path),
      [path],
      message,
    );
  }
  await refused("not_found", 404, "POST", "/connect/check", { upstreamId: "nobody" });
  assert.ok(!rig.log.join().includes(secret));
});

// Without the disconnect the check would take ten seconds.
test("whoever leaves stops the check", { timeout: 8_000 }, async (context) => {
  const { rig } = await open(context);
  const { cookie, csrf } = rig.as("operator");
  upstream.answerWith({ after: new Promise(() => {}) });
  const leaving = new AbortController();
  const asked = fetch(`${rig.url}/api/operator/connect/check`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie, "x-plaza-csrf": csrf },
    body: JSON.stringify(aim()),
    signal: leaving.signal,
  });
  const { cancelled } = await upstream.called(1);
  leaving.abort();
  await assert.rejects(asked, { name: "AbortError" });
  await cancelled;
});

test("what cannot be connected is told beside its place in the list", async (context) => {
  const { refused } = await open(context);
  const chosen = (id: string, changes: object = {}) => ({ upstreamModel: "x", id, ...changes });
  const cases: [object[], string][] = [
    [[chosen("from-file")], "models.0.id"],
    [[chosen("a"), chosen("a")], "models.1.id"],
    [[chosen("a"), chosen("b", { price: { input: "x", output: "1" } })], "models.1.price.input"],
    [[chosen("a", { upstreamModel: "" })], "models.0.upstreamModel"],
    [[chosen("two words")], "models.0.id"],
  ];
  for (const [models, path] of cases) {
    const { fields } = await refused("invalid_request", 400, "POST", "/connect", { ...aim(), models });
    assert.deepEqual(
      fields?.map((field) => field.path),
      [path],
    );
  }
  await refused("already_exists", 409, "POST", "/connect", { ...aim(), id: "main", models: [] });
  const { fields } = await refused("invalid_request", 400, "POST", "/connect", {
    ...aim(),
    id: "a b",
    models: [],
  });
  assert.equal(fields?.[0]?.path, "id");
});

test("2,000 models are connected in one step, listed, and one of them changed", async (context) => {
  const { ok } = await open(context);
  const names = Array.from({ length: 2_000 }, (_, number) => `vendor/model-${number}`);
  upstream.answerWith(asListed(names));
  const { models } = await ok("POST", "/connect/check", aim());
  const priced = models.map((one: object) => ({ ...one, price }));
  assert.equal((await ok("POST", "/connect", { ...aim(), models: priced })).added.length, 2_000);
  const shown = await ok("GET", "/catalog");
  assert.equal(shown.models.length, 2_001);
  assert.equal(shown.upstreams[1].models.length, 2_000);
  const last = shown.models.at(-1);
  await ok("PUT", `/models/${at(last.id)}`, { ...last, name: "n".repeat(200) });
  assert.equal((await ok("GET", "/catalog")).models.at(-1).name.length, 200);
});

test("the demo is connected without address or key, and costs nothing", async (context) => {
  const { ok } = await open(context);
  const { services } = await ok("GET", "/providers");
  const ids = services.map(({ id }: { id: string }) => id);
  for (const id of [...providers.map((provider) => provider.id), "ollama"]) assert.ok(ids.includes(id), id);
  const checked = await ok("POST", "/connect/check", { service: "demo" });
  assert.deepEqual(
    checked.models.map((one: { id: string; price: unknown }) => [one.id, one.price]),
    [["demo", { input: "0", output: "0" }]],
  );
  await ok("POST", "/connect", { service: "demo", models: checked.models });
  const { models } = await ok("GET", "/catalog");
  assert.deepEqual([models.at(-1).id, models.at(-1).status], ["demo", "available"]);
});

test("tokens see and change what their scopes say, and states of upstreams are shown", async (context) => {
  const { rig } = await open(context);
  const reader = await rig.withToken("catalog:read");
  assert.equal((await reader.call("GET", "/operator/catalog")).status, 200);
  assert.equal((await reader.call("POST", "/operator/upstreams", mine)).status, 403);
  assert.equal((await reader.call("GET", "/operator/upstream-states")).status, 403);
  const health = await rig.withToken("health:read");
  await rig.store.openHolder("process");
  const told = { id: "mine", provider: "openai", inFlight: 3, concurrency: null, deployments: [] };
  const credentials = [{ number: 1, state: "out", untilAt: null, lastFault: null }] as const;
  await rig.store.publishUpstreamStates("process", [{ ...told, credentials }]);
  const { body } = await health.call("GET", "/operator/upstream-states");
  assert.deepEqual(body, { upstreams: [{ id: "mine", kind: "down", count: 1, inFlight: 3 }] });
  assert.equal((await rig.as("owner").call("GET", "/operator/catalog")).status, 403);
});
