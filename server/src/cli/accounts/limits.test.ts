/** Limits on the command line: shown, changed, and set when a key is created. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogFile, catalogText, commandLine } from "../testing/test-command-line.ts";

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };

test("an account's limits are shown, set one by one, and taken back to the default", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "Team Blue");
  const limits = ["account", "limits", account.id];
  assert.deepEqual((await json(...limits)).value, { id: account.id, limits: none });
  const set = await json(...limits, "--rpm", "600", "--tpm", "9007199254740991");
  assert.equal(set.err, "");
  const after = { requestsPerMinute: 600, tokensPerMinute: 9_007_199_254_740_991, concurrency: null };
  assert.deepEqual(set.value, { id: account.id, limits: after });
  assert.deepEqual((await json("account", "list")).value[0].limits, after);
  assert.match((await run("account", "list")).out, / limits\n.* rpm 600, tpm 9007199254740991\n$/);
  assert.deepEqual(await run(...limits, "--rpm", "default", "--concurrency", "0"), {
    status: 0,
    out: [
      `Limits of account ${account.id} (Team Blue):`,
      "  requests per minute      default",
      "  model tokens per minute  9007199254740991",
      "  concurrent requests      0 (blocked)",
      "",
    ].join("\n"),
    err: "note: --concurrency 0 blocks all requests of this account\n",
  });
  await run(...limits, "--tpm", "default", "--concurrency", "default");
  assert.match((await run("account", "list")).out, / default\n$/);
  assert.deepEqual((await json(...limits)).value.limits, none);
});

test("a key's limits are shown, set one by one, and taken away", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const create = ["key", "create", "--account", account.id];
  const { value: key } = await json(...create, "--rpm", "7", "--budget", "1/day");
  const limits = ["key", "limits", key.id];
  assert.deepEqual((await json(...limits)).value, { id: key.id, limits: { ...none, requestsPerMinute: 7 } });
  const set = await json(...limits, "--rpm", "none", "--tpm", "9007199254740991");
  assert.equal(set.err, "");
  const after = { ...none, tokensPerMinute: 9_007_199_254_740_991 };
  assert.deepEqual(set.value, { id: key.id, limits: after });
  const { key: _, ...made } = key;
  assert.deepEqual((await json("key", "list")).value, [{ ...made, ...after }]);
  assert.match((await run("key", "list")).out, / tpm 9007199254740991, 1\.00\/day /);
  assert.deepEqual(await run(...limits, "--concurrency", "0"), {
    status: 0,
    out: [
      `Limits of key ${key.id} (${key.visiblePrefix}…):`,
      "  requests per minute      none",
      "  model tokens per minute  9007199254740991",
      "  concurrent requests      0 (blocked)",
      "",
    ].join("\n"),
    err: "note: --concurrency 0 blocks all requests of this key\n",
  });
  assert.match(
    (await run("key", "--help")).out,
    /\n {2}limits \[options\] <id> +Show or change the limits of an API key/,
  );
});

test("limits of a key that is not there, or revoked", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const { value: key } = await json("key", "create", "--account", account.id, "--rpm", "7");
  for (const more of [[], ["--rpm", "1"]]) {
    const { status, value } = await json("key", "limits", "key_absent", ...more);
    assert.equal(status, 1);
    const message = "key key_absent not found; see: npx plaza key list";
    assert.deepEqual(value.error, { code: "not_found", message });
  }
  await run("key", "revoke", key.id);
  assert.equal((await json("key", "limits", key.id)).value.limits.requestsPerMinute, 7);
  const { status, err, value } = await json("key", "limits", key.id, "--rpm", "0");
  const message = `key ${key.id} is permanently revoked; create another one with: npx plaza key create`;
  assert.deepEqual([status, err], [1, `error: ${message}\n`]);
  assert.deepEqual(value.error, { code: "key_revoked", message });
  assert.equal((await json("key", "limits", key.id)).value.limits.requestsPerMinute, 7);
});

test("limits of an account that is not there", async () => {
  const { json } = commandLine();
  for (const more of [[], ["--rpm", "1"]]) {
    const { status, value } = await json("account", "limits", "acc_none", ...more);
    assert.equal(status, 1);
    assert.deepEqual(value.error, {
      code: "not_found",
      message: "account acc_none not found; see: npx plaza account list",
    });
  }
});

test("a number that is no limit is refused by name and changes nothing, for accounts and keys", async () => {
  const { json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const { value: key } = await json("key", "create", "--account", account.id);
  const cases: [string, RegExp][] = [
    ["-5", /"-5" is negative; enter a whole number from 0 \(blocks all requests\) to 9007199254740991\./],
    ["1.5", /"1\.5" is a fraction; enter/],
    ["9007199254740992", /"9007199254740992" is beyond 2\^53 - 1; enter/],
    ["1e3", /"1e3" has an exponent: write all digits; enter/],
    ["1,000", /"1,000" has separators/],
    ["", /"" is not a number; enter/],
    ["nothing", /"nothing" is not a number; enter/],
  ];
  for (const [text, message] of cases) {
    for (const option of ["--rpm", "--tpm", "--concurrency"]) {
      for (const words of [
        ["account", "limits", account.id],
        ["key", "limits", key.id],
        ["key", "create", "--account", account.id],
      ]) {
        const { status, value } = await json(...words, option, text);
        assert.equal(status, 2, `${words} ${option} ${text}`);
        assert.equal(value.error.code, "usage");
        assert.match(value.error.message, message);
      }
    }
  }
  for (const words of [
    ["key", "create", "--account", account.id, "--rpm", "default"],
    ["key", "create", "--account", account.id, "--rpm", "none"],
    ["key", "limits", key.id, "--rpm", "default"],
    ["account", "limits", account.id, "--rpm", "none"],
  ]) {
    assert.equal((await json(...words)).status, 2, words.join(" "));
  }
  assert.deepEqual((await json("account", "limits", account.id)).value.limits, none);
  const { key: _, ...made } = key;
  assert.deepEqual((await json("key", "list")).value, [made]);
});

test("a key with a limit of 0 is made, and said to be blocked beside the JSON", async () => {
  const { json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const create = ["key", "create", "--account", account.id];
  const one = await json(...create, "--rpm", "0", "--tpm", "5");
  assert.equal(one.err, "note: --rpm 0 blocks all requests of this key\n");
  assert.deepEqual([one.value.requestsPerMinute, one.value.tokensPerMinute], [0, 5]);
  const two = await json(...create, "--tpm", "0", "--concurrency", "0");
  assert.equal(two.err, "note: --tpm 0, --concurrency 0 block all requests of this key\n");
});

test("apply: fallbacks that loop and limits that are none leave the stored catalog as it was", async () => {
  const { run, json } = commandLine({ UPSTREAM_KEY: "x" });
  const other = `  - id: other
    price: { input: "1", output: "1" }
    deployments: [{ upstream: main, model: other }]
    fallbacks: [gpt-5-mini]
`;
  const good = catalogFile(`${catalogText}${other}limits: { requestsPerMinute: 60 }\n`);
  assert.equal(
    (await run("apply", good)).out,
    "+ upstream main\n+ model gpt-5-mini\n+ model other\n+ limits\n",
  );
  const bad = catalogFile(
    `${catalogText}    fallbacks: [other]\n${other}limits: { requestsPerMinute: -60 }\n`,
  );
  const refused = await run("apply", bad);
  assert.equal(refused.status, 1);
  assert.deepEqual(refused.err.replaceAll(bad, "F").split("\n"), [
    "error: F:11:17 models[1].fallbacks[0]: the fallbacks form a loop: gpt-5-mini → other → gpt-5-mini",
    'error: F:12:30 limits.requestsPerMinute: "-60" is negative; must be a whole number from 0 (blocks all requests) to 9007199254740991',
    "",
  ]);
  assert.deepEqual((await json("apply", good, "--dry-run")).value.changed, []);
  assert.equal((await run("apply", good)).out, "no change\n");
});
