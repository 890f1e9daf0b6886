/**
 * The rules that forms check before they send a document find what the reader finds, at the same fields and
 * in the same words; what needs the catalog is left to the reader.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogRoutes } from "@plaza/contract/api/catalog.ts";
import { modelFaults, upstreamFaults } from "@plaza/contract/api/catalog-rules.ts";
import type { Model } from "@plaza/contract/catalog.ts";
import type { FieldFault } from "@plaza/contract/errors.ts";
import { textOf } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import fc from "fast-check";
import { providers } from "../../../providers/index.ts";
import { presets } from "../../../providers/presets/presets.ts";
import { readEditedModel, readEditedUpstream } from "./edited.ts";

const price = { input: "1", output: "2" };
const deployment = { upstream: "main", model: "its-name" };
const other = (id: string): Model => ({
  id,
  name: id,
  price: { input: nanoUsd(1n), output: nanoUsd(1n) },
  deployments: [{ upstream: "main", model: "x", priority: 1, weight: 1 }],
});
const there = { upstreamIds: ["main", "spare"], others: [other("first"), other("second")] };

const written = (faults: readonly FieldFault[]): string[] =>
  faults.map(({ path, message }) => `${path}: ${textOf(message)}`).toSorted();

type Found = readonly [rules: string[], reader: string[]];

/** What both find in a model, each fault as text. */
function inModel(change: object): Found {
  const model = catalogRoutes.createModel.body.parse({ id: "m", deployments: [deployment], ...change });
  const read = readEditedModel(model, there);
  return [written(modelFaults(model)), read.ok ? [] : written(read.faults)];
}

function inUpstream(change: object): Found {
  const upstream = catalogRoutes.createUpstream.body.parse({ id: "u", provider: "demo", ...change });
  const read = readEditedUpstream(upstream, 0, { providers, presets });
  return [written(upstreamFaults(upstream)), read.ok ? [] : written(read.faults)];
}

const on = (change: object) => ({ deployments: [{ ...deployment, ...change }] });
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...deployment, model: `m${at}` }));
const tiers = (...sizes: readonly number[]) =>
  sizes.map((abovePromptTokens) => ({ ...price, abovePromptTokens }));
const from = (validFrom: string) => ({ ...price, validFrom });

/** A model's document by what is wrong with it, and the fields that are refused. */
const badModels: readonly (readonly [object, ...string[]])[] = [
  [{ id: "" }, "id"],
  [{ id: "two words" }, "id"],
  [{ name: "" }, "name"],
  [{ name: `${"x".repeat(257)}\n` }, "name", "name"],
  [{ description: "x".repeat(4_097) }, "description"],
  [{ family: "x".repeat(65) }, "family"],
  [{ context: 0, maxOutput: 1.5 }, "context", "maxOutput"],
  [{ operations: [] }, "operations"],
  [{ capabilities: Array.from({ length: 9 }, () => "tools") }, "capabilities"],
  [{ modalities: { input: ["text"], output: [] } }, "modalities.output"],
  [{ deprecated: "2027-02-30" }, "deprecated"],
  [{ price: { input: "", output: "$1" } }, "price.input", "price.output"],
  [
    { price: { ...price, cachedInput: "1000000.1", perRequest: "1000.01" } },
    "price.cachedInput",
    "price.perRequest",
  ],
  [{ price: { ...price, tiers: [] } }, "price.tiers"],
  [
    { price: { ...price, tiers: tiers(5, 0, 5) } },
    "price.tiers.1.abovePromptTokens",
    "price.tiers.2.abovePromptTokens",
  ],
  [{ price: { ...price, tiers: tiers(...Array.from({ length: 17 }, (_, at) => at + 1)) } }, "price.tiers"],
  [{ scheduledPrices: [from("2090-01-01")] }, "price"],
  [
    { price, scheduledPrices: [from(""), from("2090-01-01"), from("2090-01-01T00:00Z")] },
    "scheduledPrices.0.validFrom",
    "scheduledPrices.2.validFrom",
  ],
  [{ price, scheduledPrices: Array.from({ length: 100 }, () => from("2090-01-01")) }, "price"],
  [{ deployments: [] }, "deployments"],
  [{ deployments: many(101) }, "deployments"],
  [{ deployments: [deployment, deployment] }, "deployments.1"],
  [on({ upstream: "", model: "" }), "deployments.0.model", "deployments.0.upstream"],
  [on({ priority: -1, weight: 1.5 }), "deployments.0.priority", "deployments.0.weight"],
  [on({ cost: { input: "1", output: "-1" } }), "deployments.0.cost.output"],
  [
    on({ timeouts: { connectMs: 0, totalMs: 86_400_001 } }),
    "deployments.0.timeouts.connectMs",
    "deployments.0.timeouts.totalMs",
  ],
  [on({ formats: [] }), "deployments.0.formats"],
  [{ price, fallbacks: ["m", "first", "first", ""] }, "fallbacks.0", "fallbacks.2", "fallbacks.3"],
  [{ fallbacks: Array.from({ length: 9 }, (_, at) => `f${at}`) }, "fallbacks"],
  [{ hedge: { afterMs: 3_600_001 } }, "hedge.afterMs"],
];

test("what a bad model's document shows is found by both, at the same fields", () => {
  for (const [change, ...paths] of badModels) {
    const [rules, reader] = inModel(change);
    assert.deepEqual(rules, reader, JSON.stringify(change));
    assert.deepEqual(
      rules.map((fault) => fault.split(": ")[0]),
      paths.toSorted(),
      JSON.stringify(change),
    );
  }
});

test("what needs the catalog, or names what was meant, is the reader's alone", () => {
  const left: readonly object[] = [
    on({ upstream: "mian" }),
    { price, fallbacks: ["nobody"] },
    { capabilities: ["tool"] },
    { operations: ["embed"] },
    on({ formats: ["openai-response"] }),
    { price, operations: ["embeddings"], fallbacks: ["first"] },
  ];
  for (const change of left) {
    const [rules, reader] = inModel(change);
    assert.deepEqual(rules, [], JSON.stringify(change));
    assert.equal(reader.length, 1, JSON.stringify(change));
  }
});

test("numbers and the id of a bad upstream's document are found by both", () => {
  const bad: readonly object[] = [
    { id: "" },
    { id: "ü" },
    { timeouts: { connectMs: 0, idleMs: 86_400_001, totalMs: 0.5, firstByteMs: null } },
    { concurrency: 0 },
    { concurrency: 1_000_001, queue: -1 },
    { queue: 100_001 },
  ];
  for (const change of bad) {
    const [rules, reader] = inUpstream(change);
    assert.deepEqual(rules, reader, JSON.stringify(change));
    assert.notEqual(rules.length, 0, JSON.stringify(change));
  }
});

const amounts = ["0", "1", "0.25", "1000000", "1000000.1", "1000.01", "-1", "+1", "1e3", "1,5", "$1", "0x1"];
const amount = fc.constantFrom(...amounts, "NaN", "", "0.0000000001", "9999999999", "1.", "١");
const whole = fc.constantFrom(
  0,
  -0,
  1,
  -1,
  1.5,
  7,
  100_001,
  1e6,
  1e6 + 1,
  1e9,
  1e9 + 1,
  86_400_001,
  1e21,
  1e-7,
);
const line = fc.constantFrom(
  "x",
  "y",
  "",
  " ",
  "two\nlines",
  "\u007f",
  "\u0085",
  "x".repeat(65),
  "x".repeat(257),
);
const times = [
  "2027-01-01",
  "2027-01-01T00:00Z",
  "2028-02-29",
  "2027-02-29",
  "1999-12-31",
  "2100-01-01",
  "",
  "x",
];
const time = fc.constantFrom(...times);
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });
const words = (known: string, max: number) => fc.array(fc.constantFrom(known, ""), { maxLength: max });

const optional = (one: fc.Arbitrary<unknown>) => fc.option(one, { nil: undefined });
const rates = { input: amount, output: amount, cachedInput: optional(amount), imageOutput: optional(amount) };
const anyPrice = {
  ...rates,
  perRequest: optional(amount),
  tiers: optional(fc.array(fc.record({ ...rates, abovePromptTokens: whole }), { maxLength: 3 })),
};
const anyModel = fc.record({
  id: fc.constantFrom("m", "", "a b", "a/b:c", "x".repeat(129)),
  name: orNull(line),
  description: orNull(line),
  family: orNull(line),
  context: orNull(whole),
  maxOutput: orNull(whole),
  operations: words("chat", 18),
  modalities: orNull(fc.record({ input: words("text", 7), output: words("text", 7) })),
  capabilities: orNull(words("tools", 10)),
  deprecated: orNull(time),
  price: orNull(fc.record(anyPrice)),
  scheduledPrices: fc.array(fc.record({ ...anyPrice, validFrom: time }), { maxLength: 3 }),
  deployments: fc.array(
    fc.record({
      upstream: fc.constantFrom("main", "spare", ""),
      model: line,
      priority: whole,
      weight: whole,
      cost: orNull(fc.record(anyPrice)),
      timeouts: orNull(fc.record({ connectMs: orNull(whole), totalMs: orNull(whole) })),
      formats: orNull(words("gemini", 12)),
    }),
    { maxLength: 3 },
  ),
  fallbacks: fc.array(fc.constantFrom("first", "second", "m", ""), { maxLength: 10 }),
  hedge: orNull(fc.record({ afterMs: orNull(whole) })),
});

test("in any document both find the same", () => {
  fc.assert(
    fc.property(anyModel, (change) => {
      const [rules, reader] = inModel(change);
      // No more are said, and each says its first ones.
      if (rules.length === 100 && reader.length === 100) return;
      // A model that is wrong in another place may fall back to itself under no id.
      const isOfCatalog = (fault: string) => /^fallbacks[.\d]*: Unknown model/.test(fault);
      assert.deepEqual(
        rules,
        reader.filter((fault) => !isOfCatalog(fault)),
      );
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(orNull(whole), orNull(whole), orNull(whole), (connectMs, concurrency, queue) => {
      const [rules, reader] = inUpstream({ timeouts: { connectMs }, concurrency, queue });
      assert.deepEqual(rules, reader);
    }),
  );
});
