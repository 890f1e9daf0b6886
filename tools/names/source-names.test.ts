/** Names are found in every form in which sources write them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceNames } from "./source-names.ts";

test("events of the log and their fields, also those there are only sometimes", () => {
  const source = `
    log.info("began", { at: 1 });
    this.#accessLog.warn("slow", { ...(x ? { by: y } : {}), ms });
    other.info("nothing");
    log.debug("for developers");
    log.error("bare");`;
  assert.deepEqual(sourceNames(source), [
    "log began",
    "log began at",
    "log slow",
    "log slow by",
    "log slow ms",
    "log bare",
  ]);
});

test("metrics and their labels, written out or by constants of the file", () => {
  const source = `
    const model: LabelRule = { name: "model", valuesMax: 3 };
    const both = [model, { name: "kind" }];
    const a = { name: "plaza_a_total", help: "a", labels: [...both, { name: "state" }] };
    const b = { name: "plaza_b", help: "b", labels: both };
    const c = { name: "no metric" };`;
  assert.deepEqual(sourceNames(source), [
    "metric plaza_a_total",
    "metric plaza_a_total model",
    "metric plaza_a_total kind",
    "metric plaza_a_total state",
    "metric plaza_b",
    "metric plaza_b model",
    "metric plaza_b kind",
  ]);
});
