/** The console's forms, checked by the rules of the catalog file, with each fault at its field. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelDocument, UpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { catalogRoutes } from "@plaza/contract/api/catalog.ts";
import { defaultTimeouts, type Model } from "@plaza/contract/catalog.ts";
import type { FieldFault } from "@plaza/contract/errors.ts";
import { type Message, textOf } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { providers } from "../../../providers/index.ts";
import { presets } from "../../../providers/presets/presets.ts";
import { readEditedModel, readEditedUpstream } from "./edited.ts";

const known = { providers, presets };

const modelForm = (change: object = {}): ModelDocument =>
  catalogRoutes.createModel.body.parse({
    id: "m",
    deployments: [{ upstream: "main", model: "its-name" }],
    ...change,
  });
const upstreamForm = (change: object = {}): UpstreamDocument & { credentials: string[] } =>
  catalogRoutes.createUpstream.body.parse({ id: "main", provider: "openai", ...change });

const other = (id: string, fallbacks?: string[]): Model => ({
  id,
  name: id,
  price: { input: nanoUsd(1n), output: nanoUsd(1n) },
  deployments: [{ upstream: "main", model: "x", priority: 1, weight: 1 }],
  ...(fallbacks === undefined ? {} : { fallbacks }),
});

const readModel = (change: object, others: Model[] = []) =>
  readEditedModel(modelForm(change), { upstreamIds: ["main", "spare"], others });

function faultsOf(result: { ok: boolean; faults?: readonly FieldFault[] }): string[] {
  assert.equal(result.ok, false);
  return (result.faults ?? []).map(({ path, message }) => `${path}: ${textOf(message as Message)}`);
}

const full = {
  name: "A model",
  description: `Says $HOME, \${HOME} and $$`,
  family: "Somebody",
  context: 1000,
  maxOutput: 100,
  modalities: { input: ["text", "image"], output: ["text"] },
  capabilities: ["tools", "tools"],
  deprecated: "2090-01-31",
  price: {
    input: "0.25",
    output: "2",
    cachedInput: "0",
    perRequest: "0.001",
    tiers: [{ abovePromptTokens: 5, input: "1", output: "1" }],
  },
  scheduledPrices: [{ validFrom: "2090-01-01T00:00:00.000Z", input: "1", output: "1" }],
  deployments: [
    {
      upstream: "main",
      model: `up/\${X}`,
      priority: 2,
      weight: 0,
      cost: { input: "0", output: "0" },
      timeouts: { idleMs: 5, totalMs: null },
    },
  ],
  limits: { requestsPerMinute: 0, tokensPerMinute: null },
  fallbacks: ["other"],
  hedge: { afterMs: 800 },
};

test("what a model is for is read, and checked against those that fall back to it", () => {
  const operations = (change: object) => {
    const result = readModel({ price: { input: "1", output: "1" }, ...change });
    assert.ok(result.ok);
    return result.value.operations;
  };
  assert.equal(operations({}), undefined);
  assert.deepEqual(operations({ operations: ["embeddings"] }), ["embeddings"]);
  const priced = { price: { input: "1", output: "1" } };
  assert.deepEqual(faultsOf(readModel({ ...priced, operations: [] })), [
    "operations: Is empty; add at least 1.",
  ]);
  assert.match(
    faultsOf(readModel({ ...priced, operations: ["embed"] })).join(),
    /^operations\.0: Unknown operation "embed"/,
  );
  const others = [other("first", ["m"])];
  assert.deepEqual(faultsOf(readModel({ ...priced, operations: ["embeddings"] }, others)), [
    'operations: Model "first" uses this model as a fallback, but they have no operation in common.',
  ]);
  assert.ok(readModel({ ...priced, operations: ["chat", "embeddings"] }, others).ok);
});

test("a whole model is read, and a variable in it is only text", () => {
  const result = readModel(full, [other("other")]);
  assert.ok(result.ok);
  assert.deepEqual(result.value, {
    id: "m",
    name: "A model",
    description: `Says $HOME, \${HOME} and $$`,
    family: "Somebody",
    context: 1000,
    maxOutput: 100,
    modalities: { input: ["text", "image"], output: ["text"] },
    capabilities: ["tools"],
    deprecatedAt: Date.UTC(2090, 0, 31),
    price: {
      input: nanoUsd(250_000_000n),
      output: nanoUsd(2_000_000_000n),
      cachedInput: nanoUsd(0n),
      perRequest: nanoUsd(1_000_000n),
      tiers: [{ abovePromptTokens: 5, input: nanoUsd(10n ** 9n), output: nanoUsd(10n ** 9n) }],
    },
    scheduledPrices: [
      { validFrom: Date.UTC(2090, 0), price: { input: nanoUsd(10n ** 9n), output: nanoUsd(10n ** 9n) } },
    ],
    deployments: [
      {
        upstream: "main",
        model: `up/\${X}`,
        priority: 2,
        weight: 0,
        cost: { input: nanoUsd(0n), output: nanoUsd(0n) },
        timeouts: { idleMs: 5 },
      },
    ],
    limits: { requestsPerMinute: 0 },
    fallbacks: ["other"],
    hedge: { afterMs: 800 },
  });
});

test("what is not said stays unknown; a hedge without a time is one", () => {
  const plain = readModel({ hedge: { afterMs: null } });
  assert.ok(plain.ok);
  assert.deepEqual(plain.value, {
    id: "m",
    name: "m",
    deployments: [{ upstream: "main", model: "its-name", priority: 1, weight: 1 }],
    hedge: {},
  });
  const none = readModel({ capabilities: [] });
  assert.ok(none.ok);
  assert.deepEqual(none.value.capabilities, []);
});

test("each fault of a model is beside its field", () => {
  const price = { input: "1", output: "1" };
  const on = (change: object) => ({ deployments: [{ upstream: "main", model: "x", ...change }] });
  const cases: [object, RegExp][] = [
    [{ id: "two words" }, /^id: "two words" is not a valid ID: start with/],
    [{ id: "🦜" }, /^id: "🦜" is not a valid ID/],
    [{ id: "" }, /^id: Is empty; enter an ID\.$/],
    [{ name: "x".repeat(257) }, /^name: Is longer than 256 characters\.$/],
    [{ name: "two\nlines" }, /^name: Must be a single line/],
    [{ context: 0 }, /^context: "0" is not allowed; must be a whole number/],
    [{ context: 1.5 }, /^context: "1.5" is not allowed/],
    [{ modalities: { input: ["smell"], output: ["text"] } }, /^modalities\.input\.0: Unknown modality/],
    [{ capabilities: ["tool"] }, /^capabilities\.0: Unknown capability "tool"; did you mean "?tools/],
    [{ deprecated: "soon" }, /^deprecated: "soon" is not a time; enter a UTC date/],
    [{ deprecated: "2027-02-30" }, /^deprecated: "2027-02-30" is not a time/],
    [
      { price: { input: "$1", output: "1" } },
      /^price\.input: "\$1" contains a currency or a word; enter US dollars per million tokens, from/,
    ],
    [
      { price, scheduledPrices: [{ ...price, validFrom: "x" }] },
      /^scheduledPrices\.0\.validFrom: "x" is not a time/,
    ],
    [
      { price: { ...price, input: "-1" }, scheduledPrices: [{ ...price, validFrom: "2090-01-01" }] },
      /^price\.input: "-1" is negative/,
    ],
    [
      { price: null, scheduledPrices: [{ ...price, validFrom: "2090-01-01" }] },
      /^price: Requires one price without validFrom/,
    ],
    [{ deployments: [] }, /^deployments: Is empty/],
    [on({ upstream: "mian" }), /^deployments\.0\.upstream: Unknown upstream "mian"; did you mean "?main/],
    [on({ formats: [] }), /^deployments\.0\.formats: /],
    [on({ formats: ["openai-response"] }), /^deployments\.0\.formats\.0: Unknown format "openai-response"/],
    [on({ timeouts: { connectMs: 0 } }), /^deployments\.0\.timeouts\.connectMs: "0ms" is not allowed/],
    [
      on({ cost: { ...price, tiers: [{ ...price, abovePromptTokens: 0 }] } }),
      /^deployments\.0\.cost\.tiers\.0\.abovePromptTokens: "0" is not/,
    ],
    [{ fallbacks: ["m"] }, /^fallbacks\.0: Is the model itself/],
    [{ fallbacks: ["nobody"] }, /^fallbacks\.0: Unknown model "nobody"/],
    [{ hedge: { afterMs: -1 } }, /^hedge\.afterMs: "-1ms" is not allowed/],
  ];
  for (const [change, wanted] of cases) {
    const faults = faultsOf(readModel(change));
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0] ?? "", wanted);
  }
});

test("a circle through other models is seen, faults of theirs are not told here", () => {
  const others = [other("a", ["b", "gone"]), other("b", ["m"])];
  assert.match(
    faultsOf(readModel({ price: { input: "1", output: "1" }, fallbacks: ["a"] }, others)).join("\n"),
    /^fallbacks: The fallbacks form a loop: m → a → b → m\.$/,
  );
  assert.ok(
    readModel({ price: { input: "1", output: "1" }, fallbacks: ["b"] }, [other("a", ["gone"]), other("b")])
      .ok,
  );
});

test("an upstream is read; a credential with a dollar sign is itself", () => {
  const result = readEditedUpstream(
    upstreamForm({
      provider: "openai",
      preset: "mistral",
      credentials: [`sk-\${X}$$`],
      timeouts: { idleMs: 7 },
      concurrency: 3,
      queue: 0,
      affinity: "none",
      onDisconnect: "finish",
    }),
    0,
    known,
  );
  assert.ok(result.ok);
  assert.deepEqual(result.value, {
    id: "main",
    provider: "openai",
    preset: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    credentials: [`sk-\${X}$$`],
    timeouts: { ...defaultTimeouts, idleMs: 7 },
    concurrency: 3,
    queue: 0,
    affinity: "none",
    onDisconnect: "finish",
  });
});

test("an upstream's field by its old name; both names are refused beside the old one", () => {
  const read = (change: object) =>
    readEditedUpstream(upstreamForm({ provider: "demo", ...change }), 0, known);
  const old = read({ whenCallerLeaves: "finish" });
  assert.deepEqual(old, read({ onDisconnect: "finish" }));
  assert.equal(old.ok && old.value.onDisconnect, "finish");
  assert.deepEqual(faultsOf(read({ whenCallerLeaves: "finish", onDisconnect: "finish" })), [
    "whenCallerLeaves: Is the old name of onDisconnect, which is set too; keep only onDisconnect.",
  ]);
});

test("each fault of an upstream is beside its field, and no credential is in it", () => {
  const cases: [object, number, RegExp][] = [
    [{ provider: "opnai" }, 0, /^provider: Unknown provider "opnai"/],
    [{ baseUrl: "file:///etc/passwd" }, 0, /^baseUrl: .* is not an http or https URL/],
    [{ baseUrl: "https://u:sk-leak@x/v1" }, 0, /^baseUrl: Must not contain a user name or password/],
    [{ preset: "mistral" }, 0, /^credentials: Is missing; preset "mistral" requires at least one\.$/],
    [{ credentials: [""] }, 0, /^credentials\.0: Is empty; enter a credential\.$/],
    [{ credentials: ["sk-leak\r\nx: y"] }, 0, /^credentials\.0: Must be printable ASCII/],
    [
      { options: { regoin: "x" } },
      0,
      /^options\.regoin: Provider "openai" has no option "regoin" \(options: allowUnpriced\)\.$/,
    ],
    [
      { provider: "bedrock", baseUrl: "https://x", options: { region: "?" } },
      1,
      /^options\.region: "\?" is not allowed; enter the AWS region/,
    ],
    [{ timeouts: { totalMs: 1e12 } }, 0, /^timeouts\.totalMs: /],
    [{ concurrency: 0 }, 0, /^concurrency: "0" is not allowed/],
  ];
  for (const [change, kept, wanted] of cases) {
    const { credentials, ...form } = upstreamForm(change);
    const sent = "credentials" in change ? { ...form, credentials } : { ...form, credentials: undefined };
    const faults = faultsOf(readEditedUpstream(sent, kept, known));
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0] ?? "", wanted);
    assert.doesNotMatch(faults.join(), /sk-leak/);
  }
});
