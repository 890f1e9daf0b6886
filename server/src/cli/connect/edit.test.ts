import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { type Addition, addEntries, EditError, newFile } from "./edit.ts";
import { plainText } from "./yaml.ts";

const upstream = (id: string): Addition => ({
  path: ["upstreams"],
  entries: [{ fields: { id, provider: "openai" } }],
});
const model = (id: string): Addition => ({
  path: ["models"],
  entries: [{ fields: { id, deployments: [{ upstream: "a", model: id }] }, remarks: { id: "new" } }],
});
const join = (index: number): Addition => ({
  path: ["models", index, "deployments"],
  entries: [{ fields: { upstream: "b", model: "x", priority: 2 } }],
});

/** Files in all styles people use. */
const files: Readonly<Record<string, string>> = {
  "lists at the column of their key":
    "upstreams:\n- id: a\n  provider: demo\nmodels:\n- id: m\n  deployments:\n  - upstream: a\n    model: x\n",
  "indented by four":
    "upstreams:\n    - id: a\n      provider: demo\nmodels:\n    - id: m\n      deployments:\n          - { upstream: a, model: x }\n",
  "in brackets":
    "upstreams: [{ id: a, provider: demo }]\nmodels: [{ id: m, deployments: [{ upstream: a, model: x }] }]\n",
  "in brackets over lines":
    "upstreams: [\n  { id: a, provider: demo }, # why\n]\nmodels: [\n  { id: m, deployments: [ { upstream: a, model: x }, ] },\n]\n",
  JSON: '{"upstreams":[{"id":"a","provider":"demo"}],\n"models":[{"id":"m","deployments":[{"upstream":"a","model":"x"}]}]}',
  "no line break at the end":
    "upstreams:\n  - id: a\n    provider: demo\nmodels:\n  - id: m\n    deployments:\n      - { upstream: a, model: x }",
  "Windows line ends":
    "# c\r\nupstreams:\r\n  - id: a\r\n    provider: demo\r\n\r\nmodels:\r\n  - id: m\r\n    deployments:\r\n      - { upstream: a, model: x }\r\n",
  "comments everywhere":
    "# top\nupstreams: # u\n  # before\n  - id: a # a\n    provider: demo # p\n    # of a\n\n# between\nmodels: # m\n  - id: m\n    deployments: # d\n      # of d\n      - upstream: a # here\n        model: x\n        # of the deployment\n      # of the list\n    # of m\n# end\n",
  "models first":
    "models:\n  - id: m\n    deployments:\n      - { upstream: a, model: x }\nlimits: { concurrency: 1 }\nupstreams:\n  - id: a\n    provider: demo\n",
  "a text over lines at the end":
    "upstreams:\n  - id: a\n    provider: demo\nmodels:\n  - id: m\n    deployments:\n      - { upstream: a, model: x }\n    description: |\n      Two\n      lines.\n",
};

for (const [name, text] of Object.entries(files)) {
  test(`${name}: everything stays, the new comes last`, () => {
    const edited = addEntries(text, [join(0), upstream("b"), model("n")]);
    const before = parse(text) as { upstreams: object[]; models: { deployments: object[] }[] };
    before.models[0]?.deployments.push({ upstream: "b", model: "x", priority: 2 });
    before.upstreams.push({ id: "b", provider: "openai" });
    before.models.push({ id: "n", deployments: [{ upstream: "a", model: "n" }] } as never);
    assert.deepEqual(parse(edited), before);
    for (const comment of text.match(/#.*$/gm) ?? []) assert.ok(edited.includes(comment), comment);
    // Removing the added text restores the original: nothing else was reformatted.
    let rest = 0;
    for (const character of edited) if (character === text[rest]) rest += 1;
    assert.equal(rest, text.length, "characters of the file are gone");
    assert.equal(/[^\r]\n/.test(edited) && edited.includes("\r\n"), false, "line ends are mixed");
  });
}

test("empty lists become lists with dashes", () => {
  const edited = addEntries("upstreams: []\nmodels: [ ]\n# end\n", [upstream("b"), model("c")]);
  assert.equal(
    edited,
    "upstreams:\n  - id: b\n    provider: openai\nmodels:\n  - id: c # new\n    deployments:\n      - { upstream: a, model: c }\n# end\n",
  );
});

test("an empty list with a comment behind it stays in brackets", () => {
  const edited = addEntries("upstreams: [] # none\nmodels: []\n", [upstream("b")]);
  assert.equal(edited, "upstreams: [{ id: b, provider: openai }] # none\nmodels: []\n");
});

test("what stands somewhere else is not edited", () => {
  assert.throws(() => addEntries("x: &x []\nupstreams: *x\nmodels: []\n", [upstream("b")]), EditError);
  assert.throws(() => addEntries("upstreams: 5\n", [upstream("b")]), EditError);
  assert.throws(() => addEntries("- a\n", [upstream("b")]), EditError);
});

test("any text survives being written, in both styles and in a new file", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string(),
    fc.constantFrom("true", "- a", "a: b", "a #b", "~", "1e3", "yes", "@x", "a:", "http://x/y"),
  );
  fc.assert(
    fc.property(text, (value) => {
      const entry = { fields: { id: value, list: [{ model: value }] } };
      const addition: Addition = { path: ["upstreams"], entries: [entry] };
      const expected = { id: value, list: [{ model: value }] };
      for (const before of ["upstreams: []\nmodels: []\n", '{"upstreams": [], "models": []}'])
        assert.deepEqual((parse(addEntries(before, [addition])) as { upstreams: unknown[] }).upstreams, [
          expected,
        ]);
      assert.deepEqual(parse(newFile([entry], [])), { upstreams: [expected], models: [] });
    }),
  );
});

test("dollar signs of a plain text begin no variable", () => {
  assert.equal(plainText("a$b$$"), "a$$b$$$$");
  assert.equal(plainText(`\${HOME}`), `$\${HOME}`);
});
