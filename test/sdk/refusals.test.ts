/**
 * Refusals of a running Plaza as Python's SDKs see them, for real keys and bodies. errors.test.ts covers how
 * they treat each error code.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeKeys } from "../behaviour/harness/keys.ts";
import { whyNoPython } from "./python.ts";
import { callFromPython, type PythonCase, type PythonOutcome, type PythonSdk } from "./python-calls.ts";
import { type SdkRig, startSdkRig } from "./rig.ts";

const sdks = ["openai", "litellm", "langchain"] as const;

/** Keys that are not good, by what is wrong with them. */
let keys: Readonly<Record<string, string>> = {};
const bodies = [{ prompt: "x".repeat(200_000) }, { prompt: "x".repeat(8_000_000) }];
const prompts = ["/fail 400 context_length_exceeded", "/fail 400 content_filter"].map((prompt) => ({
  prompt,
}));

type Outcome = PythonOutcome & { readonly sdk: PythonSdk };
let outcomes: readonly Outcome[] = [];
let rig: SdkRig;

/** One process makes all calls: to load the SDKs takes longer than to call. */
before(async () => {
  if (whyNoPython !== false) return;
  rig = await startSdkRig({ PLAZA_BODY_BYTES_MAX: "64KiB" });
  const made = await makeKeys(rig.product, rig.accountId, ["demo"]);
  const { mistyped, unknown, expired, disabled, revoked } = made;
  const other = `AIza${"b".repeat(30)}wxyz`;
  keys = { other, short: "not-a-key", mistyped, unknown, expired, disabled, revoked };
  const cases = [...Object.values(keys).map((key) => ({ key })), ...bodies, ...prompts];
  const { baseUrl } = rig.product;
  const list: PythonCase[] = cases.flatMap((one) =>
    sdks.map((sdk) => ({ sdk, baseUrl, key: rig.key, model: "demo", isStream: false, ...one })),
  );
  const raised = await callFromPython("requirements-frameworks.txt", list);
  outcomes = raised.map((outcome, index) => ({ ...outcome, sdk: list[index]?.sdk ?? "openai" }));
});
after(() => rig?.stop());

/** What every SDK made of so many cases from the `from`th on; a case is followed by the next one. */
function outcomesOf(from: number, count: number): readonly Outcome[] {
  const some = outcomes.slice(from * sdks.length, (from + count) * sdks.length);
  assert.equal(some.length, count * sdks.length);
  return some;
}

describe("Python's SDKs", { skip: whyNoPython }, () => {
  test("every key that is not good is a failed authentication, and the answer shows at most its ends", async () => {
    const classes = {
      openai: "AuthenticationError",
      litellm: "AuthenticationError",
      langchain: "OpenAIAuthenticationError",
    };
    const named = Object.entries(keys);
    for (const [index, outcome] of outcomesOf(0, named.length).entries()) {
      const [name, key] = named[Math.floor(index / sdks.length)] ?? assert.fail();
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
    const those = outcomesOf(Object.keys(keys).length, bodies.length);
    for (const { class: name, sdk, status, message } of those) {
      assert.equal(status, 413, `${sdk}: ${name} ${message.slice(0, 300)}`);
      assert.match(message, /exceeds the limit of this installation \(65536 bytes\)/);
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
    const wanted = [
      { classes: overflow, words: /maximum context length is 8192/ },
      { classes: blocked, words: /content_policy_violation.*was blocked/ },
    ];
    const those = outcomesOf(Object.keys(keys).length + bodies.length, prompts.length);
    for (const [index, { class: name, sdk, status, message }] of those.entries()) {
      const { classes, words } = wanted[Math.floor(index / sdks.length)] ?? assert.fail();
      assert.deepEqual([name, status], [classes[sdk], 400], message);
      assert.match(message, words);
    }
  });
});
