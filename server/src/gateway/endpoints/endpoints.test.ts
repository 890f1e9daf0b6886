/** What holds for every endpoint in the list, also for one that is added tomorrow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operationPaths } from "@plaza/contract/operations.ts";
import { chargedApart } from "../../providers/charged-apart.ts";
import { createBodyScanners } from "../request/body/body-scan.ts";
import type { RequestFields } from "./endpoint.ts";
import { endpoints } from "./index.ts";

/** A value that no rule takes for harmless. */
const asked = { asks: "for something" };

const limits = { jsonDepthMax: 16, jsonValuesMax: 1_000 };

/** Least bodies beside the model; each endpoint accepts one of them. */
const bodies: readonly object[] = [
  { messages: [{ role: "user", content: "a" }], input: "a", prompt: "a", max_tokens: 5 },
  { contents: [{ role: "user", parts: [{ text: "a" }] }] },
  { content: { parts: [{ text: "a" }] } },
  { requests: [{ content: { parts: [{ text: "a" }] } }] },
];

/** Those whose answers are charged: a count of tokens is free. */
const charged = endpoints.filter(({ protocol }) => protocol.writeCount === undefined);

for (const endpoint of charged) {
  test(`${endpoint.path} reports everything that upstreams charge apart from tokens`, () => {
    const target = { tail: "m", query: "" };
    const apartOf = (more: object): readonly string[] => {
      const problems: unknown[] = [];
      for (const members of bodies) {
        const body = Buffer.from(JSON.stringify({ model: "m", ...members, ...more }));
        const scanner = createBodyScanners(endpoint.scanned, limits).create();
        const refused = scanner.push(body);
        if (refused !== undefined) throw refused;
        try {
          // By `Reflect`, because an endpoint may take fewer arguments than there are.
          const fields: RequestFields = Reflect.apply(endpoint.read, endpoint, [
            scanner.end(body),
            body,
            target,
          ]);
          return fields.apart;
        } catch (problem) {
          problems.push(problem);
        }
      }
      throw new AggregateError(problems, `${endpoint.path}: add the least body it accepts to this test`);
    };
    assert.deepEqual(apartOf({}), []);
    for (const name of Object.keys(chargedApart)) {
      assert.ok(apartOf({ [name]: asked }).length > 0, `${name} is not reported`);
    }
  });
}

test("the operation of every endpoint is one that is served, and every served path has an endpoint", () => {
  for (const { path, operation } of endpoints) assert.ok(operationPaths[operation].isServed, path);
  const paths = new Set(endpoints.map(({ path }) => path));
  for (const { path, isServed } of Object.values(operationPaths)) {
    assert.equal(paths.has(path), isServed, path);
  }
});
