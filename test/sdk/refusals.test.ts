/**
 * Refusals of a running Plaza as Python's SDKs meet them: what the product says of real keys and bodies, in the words these clients
 * go by. What they make of each error by its code alone is in errors.test.ts.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeKeys } from "../behaviour/keys.ts";
import { whyNoPython } from "./python.ts";
import { callFromPython, type PythonCase, type PythonOutcome, type PythonSdk } from "./python-calls.ts";
import { type SdkRig, startSdkRig } from "./sdk-rig.ts";

let rig: SdkRig;
before(async () => {
  if (whyNoPython === false) rig = await startSdkRig({ PLAZA_BODY_BYTES_MAX: "64KiB" });
});
after(() => rig?.stop());

const sdks = ["openai", "litellm", "langchain"] as const;

/** One case by every SDK, whole. */
async function byAll(cases: readonly Partial<PythonCase>[]): Promise<(PythonOutcome & { sdk: PythonSdk })[]> {
  const { baseUrl } = rig.product;
  const list = sdks.flatMap((sdk) =>
    cases.map((one) => ({ sdk, baseUrl, key: rig.key, model: "demo", isStream: false, ...one })),
  );
  const outcomes = await callFromPython("requirements-frameworks.txt", list);
  return outcomes.map((outcome, index) => ({ ...outcome, sdk: list[index]?.sdk ?? "openai" }));
}

describe("Python's SDKs", { skip: whyNoPython }, () => {
  test("every key that is not good is a failed authentication, and the answer shows at most its ends", async () => {
    const made = await makeKeys(rig.product, rig.accountId, ["demo"]);
    const keys = {
      other: `AIza${"b".repeat(30)}wxyz`,
      short: "not-a-key",
      mistyped: made.mistyped,
      unknown: made.unknown,
      expired: made.expired,
      disabled: made.disabled,
      revoked: made.revoked,
    };
    const classes = {
      openai: "AuthenticationError",
      litellm: "AuthenticationError",
      langchain: "OpenAIAuthenticationError",
    };
    const names = Object.keys(keys);
    const outcomes = await byAll(Object.values(keys).map((key) => ({ key })));
    for (const [index, outcome] of outcomes.entries()) {
      const name = names[index % names.length] ?? "";
      const key = Object.values(keys)[index % names.length] ?? "";
      assert.deepEqual(
        [outcome.class, outcome.status],
        [classes[outcome.sdk], 401],
        `${outcome.sdk}, ${name}`,
      );
      assert.match(outcome.message, /Incorrect API key provided: /, `${outcome.sdk}, ${name}`);
      if (key.length > 24) assert.ok(!outcome.message.includes(key.slice(9, 13)), outcome.message);
    }
  });

  test("a body beyond the limit is a 413, although it was still on its way", async () => {
    const outcomes = await byAll([{ prompt: "x".repeat(200_000) }, { prompt: "x".repeat(8_000_000) }]);
    for (const { class: name, sdk, status, message } of outcomes) {
      assert.equal(status, 413, `${sdk}: ${name} ${message.slice(0, 300)}`);
      assert.match(message, /larger than this installation accepts \(65536 bytes\)/);
    }
  });

  test("a prompt that is too long and one that is blocked are what they are", async () => {
    const overflow = {
      openai: "BadRequestError",
      litellm: "ContextWindowExceededError",
      langchain: "OpenAIContextOverflowError",
    };
    const blocked = {
      openai: "BadRequestError",
      litellm: "ContentPolicyViolationError",
      langchain: "OpenAIInvalidRequestError",
    };
    const cases = [
      {
        prompt: "/fail 400 context_length_exceeded",
        classes: overflow,
        words: /maximum context length is 8192/,
      },
      {
        prompt: "/fail 400 content_filter",
        classes: blocked,
        words: /content_policy_violation.*was blocked/,
      },
    ];
    for (const [index, { class: name, sdk, status, message }] of (await byAll(cases)).entries()) {
      const { classes, words } = cases[index % cases.length] ?? assert.fail();
      assert.deepEqual([name, status], [classes[sdk], 400], message);
      assert.match(message, words);
    }
  });
});
