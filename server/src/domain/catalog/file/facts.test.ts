/** What a catalog file says about a model besides sizes: vendor, capabilities, deprecation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogFile } from "../file.ts";

function read(facts: object) {
  const model = {
    id: "m",
    price: { input: "0", output: "0" },
    deployments: [{ upstream: "up", model: "x" }],
    ...facts,
  };
  const text = JSON.stringify({ upstreams: [{ id: "up", provider: "demo" }], models: [model] });
  const providers = [{ id: "demo", needs: { baseUrl: false, credentials: false } }];
  return readCatalogFile(text, { env: {}, fileName: "plaza.yaml", providers });
}

test("family, capabilities and the end are read; what is left out stays unknown", () => {
  const result = read({
    family: "Somebody",
    capabilities: ["vision", "tools", "vision"],
    deprecated: "2027-01-31",
  });
  assert.ok(result.ok);
  const [model] = result.catalog.models;
  assert.equal(model?.family, "Somebody");
  assert.deepEqual(model?.capabilities, ["vision", "tools"]);
  assert.equal(model?.deprecatedAt, Date.UTC(2027, 0, 31));
  const none = read({ capabilities: [] });
  assert.deepEqual(none.ok && none.catalog.models[0]?.capabilities, []);
  const nothing = read({});
  assert.ok(nothing.ok);
  for (const name of ["family", "capabilities", "deprecatedAt"])
    assert.ok(!Object.hasOwn(nothing.catalog.models[0] ?? {}, name));
});

test("a model is disabled when the file says so, and enabled otherwise", () => {
  const disabled = (given: object) => {
    const result = read(given);
    assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
    const [model] = result.catalog.models;
    return model !== undefined && Object.hasOwn(model, "isDisabled") ? model.isDisabled : "absent";
  };
  assert.equal(disabled({ disabled: true }), true);
  assert.equal(disabled({ disabled: false }), "absent");
  assert.equal(disabled({}), "absent");
});

test("what a model is for is read in one order; chat alone, said or unsaid, is the same", () => {
  const operations = (given: object) => {
    const result = read(given);
    assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
    const [model] = result.catalog.models;
    return model !== undefined && Object.hasOwn(model, "operations") ? model.operations : "absent";
  };
  assert.deepEqual(operations({ operations: ["embeddings"] }), ["embeddings"]);
  assert.deepEqual(operations({ operations: ["completion", "chat", "completion"] }), ["chat", "completion"]);
  assert.equal(operations({ operations: ["chat"] }), "absent");
  assert.equal(operations({}), "absent");
});

test("what is wrong is told with its place", () => {
  const cases: [object, RegExp][] = [
    [{ family: "x".repeat(65) }, /models\[0\]\.family: is longer than 64 characters$/],
    [{ family: 7 }, /models\[0\]\.family: must be text; put it in quotes: "7"$/],
    [{ family: "" }, /models\[0\]\.family: is empty; enter a family$/],
    [{ capabilities: "tools" }, /models\[0\]\.capabilities: must be a list of capabilities$/],
    [{ capabilities: ["tool"] }, /capabilities\[0\]: unknown capability "tool"; did you mean "tools"\?/],
    [{ operations: "chat" }, /models\[0\]\.operations: must be a list of operations$/],
    [{ operations: [] }, /models\[0\]\.operations: is empty; add at least 1$/],
    [
      { operations: ["embedding"] },
      /operations\[0\]: unknown operation "embedding"; did you mean "embeddings"\?/,
    ],
    [{ deprecated: "2027-02-30" }, /models\[0\]\.deprecated: "2027-02-30" is not a time; enter a UTC date/],
    [{ disabled: "true" }, /models\[0\]\.disabled: must be true or false$/],
    [{ deprecated: "1999-01-01" }, /models\[0\]\.deprecated: "1999-01-01" is not between 2000 and 2099/],
  ];
  for (const [facts, wanted] of cases) {
    const result = read(facts);
    assert.ok(!result.ok);
    assert.equal(result.faults.length, 1, result.faults.join("\n"));
    assert.match(result.faults[0] ?? "", wanted);
  }
});
