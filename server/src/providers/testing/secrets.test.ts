/**
 * Checks that every form of secret in a descriptor or preset is removed from what callers and logs are shown.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import { scrub, useSecretShapes } from "../../protocols/scrub/scrub.ts";
import {
  assertNothingOf,
  canaries,
  errorTexts,
  hostileTexts,
  namesWith,
} from "../../protocols/scrub/scrub-canaries.ts";
import { beginnings, type SecretShape } from "../../protocols/scrub/secret-shapes.ts";
import { loadProviders, secretShapes } from "../index.ts";

// Installs the shapes as the server does at start.
await loadProviders([]);
after(() => useSecretShapes([]));

test("there are many different secrets, of providers and of others", () => {
  const secrets = [...secretShapes.map(({ sample }) => sample), ...canaries.map(({ secret }) => secret)];
  assert.ok(new Set(secrets).size >= 50, String(secrets.length));
});

for (const shape of secretShapes) {
  const { name, sample } = shape;
  test(`nothing of ${name} is left in any error text`, () => {
    for (const text of [...errorTexts(sample), ...namesWith(sample)])
      assertNothingOf(sample, text, scrub(text));
    for (const status of [200, 400, 401, 403, 429, 500]) {
      const body = JSON.stringify({
        error: { message: `Failed for ${sample}`, type: sample, code: sample },
      });
      assertNothingOf(sample, body, JSON.stringify(faultOfAnswer(status, { "x-request-id": sample }, body)));
    }
  });

  if (shape.word === undefined && shape.start === undefined && shape.pattern === undefined) continue;
  test(`the form of ${name} finds it, and nothing in other words does`, () => {
    const finds = (shapes: readonly SecretShape[]): boolean =>
      [...beginnings(shapes), ...shapes.flatMap(({ pattern }) => pattern ?? [])].some(
        (expression) => sample.search(expression) === 0,
      );
    assert.equal(
      finds([shape]),
      true,
      "`word` is what comes before `_` or `-`; another form is `start` or `pattern`",
    );
    assert.equal(finds([]), false, "what is removed anyway needs no form");
  });
}

test("hostile texts of 100 KB pass with the forms of all providers", () => {
  for (const text of hostileTexts()) scrub(text);
});
