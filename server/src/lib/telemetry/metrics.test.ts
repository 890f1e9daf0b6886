/** The registry and its text form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "./metrics.ts";
import { joinFamilies } from "./metrics-text.ts";

const textOf = (registry: ReturnType<typeof createRegistry>, constant = ""): string =>
  joinFamilies([registry.families(constant)]);

test("counters: one line per series, empty labels left out, values escaped", () => {
  const registry = createRegistry();
  const family = registry.counter({
    name: "calls_total",
    help: "Calls \\ and\nmore.",
    labels: [{ name: "model" }, { name: "error" }],
  });
  family.with("a", "").add();
  family.with('q"\\\n', "x").add(2.5);
  family.with("a", "").add();
  assert.equal(
    textOf(registry),
    [
      "# HELP calls_total Calls \\\\ and\\nmore.",
      "# TYPE calls_total counter",
      'calls_total{model="a"} 2',
      'calls_total{model="q\\"\\\\\\n",error="x"} 2.5',
      "",
    ].join("\n"),
  );
});

test("a family without a series says nothing", () => {
  const registry = createRegistry();
  registry.counter({ name: "never_total", help: "Never." });
  assert.equal(textOf(registry), "");
});

test("exact counters stay exact beyond 2^53", () => {
  const registry = createRegistry();
  const family = registry.exactCounter({
    name: "usd_total",
    help: "Money.",
    format: (value) => `${value / 1000n}.${String(value % 1000n).padStart(3, "0")}`,
  });
  family.with().add(2n ** 60n);
  family.with().add(1n);
  assert.match(textOf(registry), /^usd_total 1152921504606846\.977$/m);
});

test("histograms: buckets add up, the bound belongs to its bucket", () => {
  const registry = createRegistry();
  const one = registry
    .histogram({ name: "wait_seconds", help: "Wait.", labels: [{ name: "m" }], bounds: [0.1, 1, 10] })
    .with("x");
  for (const value of [0.1, 0.1000001, 1, 11, 10, Number.NaN]) one.observe(value);
  assert.equal(
    textOf(registry, 'process="2"'),
    [
      "# HELP wait_seconds Wait.",
      "# TYPE wait_seconds histogram",
      'wait_seconds_bucket{m="x",process="2",le="0.1"} 1',
      'wait_seconds_bucket{m="x",process="2",le="1"} 3',
      'wait_seconds_bucket{m="x",process="2",le="10"} 4',
      'wait_seconds_bucket{m="x",process="2",le="+Inf"} 5',
      'wait_seconds_sum{m="x",process="2"} 22.2000001',
      'wait_seconds_count{m="x",process="2"} 5',
      "",
    ].join("\n"),
  );
});

test("gauges are read at the moment, and what is gone is gone", () => {
  const registry = createRegistry();
  let states: [string, number][] = [
    ["up", 1],
    ["down", Number.POSITIVE_INFINITY],
  ];
  registry.gauge({
    name: "state",
    help: "State.",
    labels: [{ name: "name" }],
    read: (set) => {
      for (const [name, value] of states) set(value, name);
    },
  });
  assert.match(textOf(registry), /state\{name="up"\} 1\nstate\{name="down"\} \+Inf\n/);
  states = [["up", 0]];
  assert.doesNotMatch(textOf(registry), /down/);
});

test("a label has a most number of values; the rest is other, and known ones stay known", () => {
  const registry = createRegistry();
  const family = registry.counter({
    name: "n_total",
    help: "N.",
    labels: [{ name: "who", valuesMax: 2 }, { name: "what" }],
  });
  for (let index = 0; index < 1_000; index += 1) family.with(`who-${index}`, "x").add();
  family.with("who-1", "y").add();
  family.with("other", "x").add();
  assert.deepEqual(textOf(registry).split("\n").slice(2), [
    'n_total{who="who-0",what="x"} 1',
    'n_total{who="who-1",what="x"} 1',
    'n_total{who="other",what="x"} 999',
    'n_total{who="who-1",what="y"} 1',
    "",
  ]);
});

test("a name may be used once", () => {
  const registry = createRegistry();
  registry.counter({ name: "a_total", help: "A." });
  assert.throws(() => registry.counter({ name: "a_total", help: "A." }), /a_total/);
});

test("several processes: one head, the lines of all in one group", () => {
  const make = (value: number) => {
    const registry = createRegistry();
    registry.counter({ name: "a_total", help: "A." }).with().add(value);
    registry.counter({ name: "b_total", help: "B." }).with().add(value);
    return registry;
  };
  assert.equal(
    joinFamilies([make(1).families('process="1"'), make(2).families('process="2"')]),
    [
      "# HELP a_total A.",
      "# TYPE a_total counter",
      'a_total{process="1"} 1',
      'a_total{process="2"} 2',
      "# HELP b_total B.",
      "# TYPE b_total counter",
      'b_total{process="1"} 1',
      'b_total{process="2"} 2',
      "",
    ].join("\n"),
  );
});
