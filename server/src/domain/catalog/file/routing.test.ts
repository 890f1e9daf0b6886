// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file format has variables of this form.
/**
 * Limits, fallbacks, hedging, concurrency and timers in a catalog file: values read, and messages of faults.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "@plaza/contract/catalog.ts";
import fc from "fast-check";
import { runsOf } from "../../../lib/testing/runs.ts";
import { readCatalogFile } from "../file.ts";

const providers = [{ id: "demo", needs: { baseUrl: false, credentials: false } }];

const read = (text: string) => readCatalogFile(text, { env: { ID: "b" }, fileName: "f", providers });

function accepted(text: string) {
  const result = read(text);
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  return result;
}

/** Every fault without the name of the file. */
function faults(text: string): string[] {
  const result = read(text);
  assert.ok(!result.ok, "expected faults");
  return result.faults.map((line) => line.slice("f:".length));
}

const upstreams = "upstreams: [{ id: up, provider: demo }]\n";
/** A servable model in one line. */
const model = (id: string, rest = ""): string =>
  `  - { id: ${id}, price: { input: "0", output: "0" }, deployments: [{ upstream: up, model: x }]${rest} }\n`;
const file = (...models: string[]): string => `${upstreams}models:\n${models.join("")}`;
const oneModel = (rest: string): Model | undefined => accepted(file(model("a", rest))).catalog.models[0];
const oneUpstream = (rest: string) =>
  accepted(`upstreams: [{ id: up, provider: demo${rest} }]\nmodels: []`).catalog.upstreams[0];
/** The messages about the last key's value, after its path. */
const whyNot = (text: string): string[] => faults(text).map((line) => line.replace(/^\d+:\d+ /, ""));

const range = "a whole number from 0 (blocks all requests) to 9007199254740991";

test("limits of accounts, of the installation and of a model; 0 is one, none at all is absent", () => {
  const text = `${file(
    model("a", ", limits: { requestsPerMinute: 0, tokensPerMinute: 9007199254740991 }"),
    model("b", ", limits: {}"),
  )}limits: { concurrency: 0 }\ninstallation: { requestsPerMinute: 1, concurrency: 2 }\n`;
  const { catalog } = accepted(text);
  assert.deepEqual(catalog.limits, { concurrency: 0 });
  assert.deepEqual(catalog.installation, { requestsPerMinute: 1, concurrency: 2 });
  assert.deepEqual(catalog.models[0]?.limits, { requestsPerMinute: 0, tokensPerMinute: 2 ** 53 - 1 });
  assert.equal(Object.hasOwn(catalog.models[1] ?? {}, "limits"), false);
  const none = accepted(`${file(model("a"))}installation: {}\n`).catalog;
  assert.equal(Object.hasOwn(none, "installation"), false);
});

test("a limit that is none is refused by name, wherever it stands", () => {
  const cases: [written: string, fault: string][] = [
    ["-1", `"-1" is negative; must be ${range}`],
    ["-0", `"-0" is negative; must be ${range}`],
    ["0.5", `"0.5" is a fraction; must be ${range}`],
    ["60.0", `"60.0" is a fraction; must be ${range}`],
    ["1e3", `"1e3" has an exponent: write all digits; must be ${range}`],
    ["+60", `"+60" has a sign; must be ${range}`],
    ["9007199254740992", `"9007199254740992" is beyond 2^53 - 1; must be ${range}`],
    ["9007199254740993", `"9007199254740993" is beyond 2^53 - 1; must be ${range}`],
    ["0x10", `"0x10" is not a number; must be ${range}`],
    [".inf", `".inf" is not a number; must be ${range}`],
    ["true", `"true" is not a number; must be ${range}`],
    ['"60"', `must be ${range}, without quotes`],
    ["sixty", `must be ${range}`],
    ["[60]", `must be ${range}`],
    ["", `must be ${range}`],
  ];
  for (const [written, fault] of cases) {
    const limits = `{ requestsPerMinute: 1, tokensPerMinute: ${written} }`;
    const places: [string, string][] = [
      [`upstreams: []\nmodels: []\nlimits: ${limits}`, "limits"],
      [`upstreams: []\nmodels: []\ninstallation: ${limits}`, "installation"],
      [file(model("a", `, limits: ${limits}`)), "models[0].limits"],
    ];
    for (const [text, place] of places) {
      assert.deepEqual(whyNot(text), [`${place}.tokensPerMinute: ${fault}`], text);
    }
  }
  assert.deepEqual(whyNot("upstreams: []\nmodels: []\nlimits: { rpm: 1 }"), [
    'limits: unknown key "rpm" (keys: requestsPerMinute, tokensPerMinute, concurrency)',
  ]);
});

test("fallbacks are read in their order, variables expanded; none are absent", () => {
  const { catalog } = accepted(
    file(
      model("a", ', fallbacks: [c, "${ID}"]'),
      model("b", ", fallbacks: [c]"),
      model("c", ", fallbacks: []"),
    ),
  );
  assert.deepEqual(
    catalog.models.map((one) => one.fallbacks),
    [["c", "b"], ["c"], undefined],
  );
  assert.equal(Object.hasOwn(catalog.models[2] ?? {}, "fallbacks"), false);
});

test("fallbacks that name nothing, themselves, one twice or too many", () => {
  assert.deepEqual(
    faults(file(model("gpt", ", fallbacks: [gpd2, gpt, other, other, 7]"), model("gpt2"), model("other"))),
    [
      '3:107 models[0].fallbacks[0]: unknown model "gpd2"; did you mean "gpt2"? (models: gpt, gpt2, other)',
      "3:113 models[0].fallbacks[1]: is the model itself; choose another one",
      '3:125 models[0].fallbacks[3]: repeats "other"',
      '3:132 models[0].fallbacks[4]: must be text; put it in quotes: "7"',
    ],
  );
  const nine = Array.from({ length: 9 }, (_, index) => `m${index}`);
  assert.deepEqual(whyNot(file(model("a", `, fallbacks: [${nine}]`), ...nine.map((id) => model(id)))), [
    "models[0].fallbacks: has 9 fallbacks; at most 8 are allowed",
  ]);
  assert.deepEqual(whyNot(file(model("a", ", fallbacks: b"), model("b"))), [
    "models[0].fallbacks: must be a list of fallbacks",
  ]);
});

test("a fallback that could not answer is refused; one with a price to come may", () => {
  const unpriced = "  - { id: b, deployments: [{ upstream: up, model: x }] }\n";
  assert.deepEqual(whyNot(file(model("a", ", fallbacks: [b]"), unpriced)), [
    'models[0].fallbacks[0]: model "b" has no price, so it cannot replace this one',
  ]);
  const unserved = '  - { id: b, price: { input: "0", output: "0" }, deployments: [] }\n';
  assert.deepEqual(whyNot(file(model("a", ", fallbacks: [b]"), unserved)), [
    'models[0].fallbacks[0]: model "b" has no deployment, so it cannot replace this one',
    "models[1].deployments: is empty; add at least 1",
  ]);
  const lastResort = model("b").replace("model: x", "model: x, weight: 0");
  assert.deepEqual(accepted(file(model("a", ", fallbacks: [b]"), lastResort)).warnings, []);
});

test("a fallback is for what its model is for; embeddings have none, as vectors of two models are not alike", () => {
  const embeds = ", operations: [embeddings]";
  const both = ", operations: [chat, completion]";
  assert.deepEqual(whyNot(file(model("a", ", fallbacks: [b]"), model("b", embeds))), [
    'models[0].fallbacks[0]: model "b" has a different operation, so it cannot replace this one',
  ]);
  const vectors = "an embeddings model cannot have fallbacks: vectors of different models are not comparable";
  assert.deepEqual(whyNot(file(model("a", `${embeds}, fallbacks: [b]`), model("b", embeds))), [
    `models[0].fallbacks[0]: ${vectors}`,
  ]);
  // One shared operation is enough.
  accepted(file(model("a", ", fallbacks: [b]"), model("b", both)));
  accepted(file(model("a", `${both}, fallbacks: [b]`), model("b", ", operations: [completion]")));
  accepted(file(model("a", ", operations: [chat, embeddings], fallbacks: [b]"), model("b")));
});

test("fallbacks that form a loop are refused with the circle", () => {
  const circle = (ids: string) => `the fallbacks form a loop: ${ids}`;
  assert.deepEqual(whyNot(file(model("a", ", fallbacks: [b]"), model("b", ", fallbacks: [a]"))), [
    `models[1].fallbacks[0]: ${circle("a → b → a")}`,
  ]);
  const tail = file(
    model("t", ", fallbacks: [a]"),
    model("a", ", fallbacks: [d, b]"),
    model("b", ", fallbacks: [c]"),
    model("c", ", fallbacks: [d, a]"),
    model("d"),
  );
  assert.deepEqual(whyNot(tail), [`models[3].fallbacks[1]: ${circle("a → b → c → a")}`]);
  // Two ways to the same model are not a loop.
  accepted(
    file(
      model("a", ", fallbacks: [b, c]"),
      model("b", ", fallbacks: [d]"),
      model("c", ", fallbacks: [d]"),
      model("d"),
    ),
  );
});

test("thousands of models in one chain are read, and closed to a circle refused in one short line", () => {
  const size = runsOf(10_000);
  const chain = (last: string) =>
    `${upstreams}models:\n${Array.from({ length: size }, (_, index) => {
      const next = index === size - 1 ? last : `m${index + 1}`;
      return `  - { id: m${index}, price: &p { input: "0", output: "0" }, deployments: &d [{ upstream: up, model: x }]${
        next === "" ? "" : `, fallbacks: [${next}]`
      } }\n`;
    }).join("")}`;
  assert.equal(accepted(chain("")).catalog.models.length, size);
  assert.deepEqual(whyNot(chain("m0")), [
    `models[${size - 1}].fallbacks[0]: the fallbacks form a loop: m0 → m1 → m2 → m3 → m4 → m5 → m6 → m7 → m8 → m9 → (${size - 10} more) → m0`,
  ]);
});

test("a file is accepted exactly when no model can be reached from itself", () => {
  const size = 6;
  const anyGraph = fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }), {
    minLength: size,
    maxLength: size,
  });
  fc.assert(
    fc.property(anyGraph, (drawn) => {
      const graph = drawn.map((targets, from) => targets.filter((to) => to !== from));
      const reach = (from: number, seen = new Set<number>()): Set<number> => {
        for (const to of graph[from] ?? []) if (!seen.has(to)) reach(to, seen.add(to));
        return seen;
      };
      const isLoop = graph.some((_, from) => reach(from).has(from));
      const lines = graph.map((targets, from) =>
        model(`m${from}`, `, fallbacks: [${targets.map((to) => `m${to}`)}]`),
      );
      const result = read(file(...lines));
      assert.equal(result.ok, !isLoop);
      if (result.ok) return;
      for (const line of result.faults) {
        const ids =
          /loop: (.*)$/
            .exec(line)?.[1]
            ?.split(" → ")
            .map((id) => Number(id.slice(1))) ?? [];
        assert.ok(ids.length > 2 && ids[0] === ids.at(-1), line);
        for (const [index, id] of ids.slice(1).entries()) {
          assert.ok(graph[ids[index] ?? -1]?.includes(id), line);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("hedge: true, false or a time", () => {
  assert.deepEqual(oneModel(", hedge: true")?.hedge, {});
  assert.deepEqual(oneModel(", hedge: { after: 800ms }")?.hedge, { afterMs: 800 });
  for (const off of ["", ", hedge: false"]) assert.equal(Object.hasOwn(oneModel(off) ?? {}, "hedge"), false);
  const form = "must be true, false or the delay before the second attempt: { after: 800ms }";
  for (const written of ["800ms", "800", "'true'", "[1s]", "null", "yes"]) {
    assert.deepEqual(whyNot(file(model("a", `, hedge: ${written}`))), [`models[0].hedge: ${form}`]);
  }
  const afterForm = "a duration from 1ms to 1h, for example 500ms, 5s or 15m";
  assert.deepEqual(whyNot(file(model("a", ", hedge: {}"))), [
    "models[0].hedge.after: is missing; set the delay, for example 800ms, or write hedge: true",
  ]);
  assert.deepEqual(whyNot(file(model("a", ", hedge: { after: 0s }"))), [
    `models[0].hedge.after: "0s" is not allowed; must be ${afterForm}`,
  ]);
  assert.deepEqual(whyNot(file(model("a", ", hedge: { after: 800 }"))), [
    `models[0].hedge.after: "800" has no unit; must be ${afterForm}`,
  ]);
});

test("places at an upstream, and who goes where", () => {
  assert.deepEqual(oneUpstream(", concurrency: 1, queue: 0, affinity: none"), {
    id: "up",
    provider: "demo",
    baseUrl: "",
    credentials: [],
    timeouts: { connectMs: 5_000, firstTokenMs: 240_000, idleMs: 240_000, totalMs: 900_000 },
    concurrency: 1,
    queue: 0,
    affinity: "none",
  });
  for (const name of ["concurrency", "queue", "affinity"]) {
    assert.equal(Object.hasOwn(oneUpstream(", affinity: key") ?? {}, name), false, name);
  }
  const refused = (rest: string) => whyNot(`upstreams: [{ id: up, provider: demo, ${rest} }]\nmodels: []`);
  assert.deepEqual(refused("concurrency: 0, queue: 100001, affinity: model"), [
    'upstreams[0].concurrency: "0" is not allowed; must be a whole number from 1 to 1000000',
    'upstreams[0].queue: "100001" is not allowed; must be a whole number from 0 to 100000',
    'upstreams[0].affinity: "model" is neither key nor none',
  ]);
  assert.deepEqual(accepted("upstreams: [{ id: up, provider: demo, queue: 5 }]\nmodels: []").warnings, [
    "f:1:46 upstreams[0].queue: has no effect without concurrency: no request ever waits",
  ]);
});

test("timers of a deployment are only those it gives", () => {
  const withTimers = (timers: string) =>
    accepted(file(model("a").replace("model: x", `model: x, timeouts: ${timers}`))).catalog.models[0]
      ?.deployments[0];
  assert.deepEqual(withTimers("{ firstToken: 2s }")?.timeouts, { firstTokenMs: 2_000 });
  assert.deepEqual(withTimers("{ firstByte: 2m }")?.timeouts, { firstByteMs: 120_000 });
  assert.equal(Object.hasOwn(withTimers("{}") ?? {}, "timeouts"), false);
  assert.deepEqual(
    whyNot(file(model("a").replace("model: x", "model: x, timeouts: { first: 2s, idle: 0s }"))),
    [
      'models[0].deployments[0].timeouts: unknown key "first" (keys: connect, firstByte, firstToken, idle, total)',
      'models[0].deployments[0].timeouts.idle: "0s" is not allowed; must be a duration from 1ms to 1d, for example 500ms, 5s or 15m',
    ],
  );
});
