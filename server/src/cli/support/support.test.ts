/** `plaza support-bundle` has the facts, and nothing secret. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { openStoreInProcess } from "../../store/open.ts";
import { requestRow } from "../../store/testing/behaviour/requests.ts";
import { runPlaza } from "../testing/run-plaza.ts";
import type { SupportBundle } from "./bundle.ts";

const secrets = {
  credential: "sk-upstream-canary-1",
  operator: "canary-operator-token-0123456789abcdef",
  account: "Canary Account",
};

test("the bundle has settings, findings, catalog and failures, and no secret, account or key", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "support-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const data = join(folder, "data");
  const file = join(folder, "plaza.yaml");
  writeFileSync(
    file,
    `upstreams:
  - { id: main, provider: openai, baseUrl: "http://127.0.0.1:1/v1", credentials: ["${secrets.credential}"] }
models:
  - { id: small, price: { input: "0", output: "0" }, deployments: [{ upstream: main, model: small }] }
`,
  );
  assert.equal((await runPlaza(["apply", file, "--data", data])).status, 0);
  const account = await runPlaza(["account", "create", secrets.account, "--data", data, "--json"]);
  const { id: accountId } = JSON.parse(account.out) as { id: string };
  const key = await runPlaza(["key", "create", "--account", accountId, "--data", data, "--json"]);
  const made = JSON.parse(key.out) as { id: string; secret?: string; key?: string };
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: join(data, "plaza.sqlite") },
    secretKey: readFileSync(join(data, "secret.key")),
  });
  const attempt = {
    upstreamId: "main",
    upstreamModel: "small",
    fault: "upstream_error",
    status: 503,
    durationMs: 5,
  };
  await store.recordRequest(
    requestRow(1, {
      accountId,
      keyId: made.id,
      state: "failed",
      status: 502,
      errorCode: "upstream_error",
      attemptLog: [attempt],
      cost: nanoUsd(0n),
    }),
  );
  await store.close();
  const out = join(folder, "bundle.json");
  const env = { PLAZA_OPERATOR_TOKEN: secrets.operator, PLAZA_PORT: "9999" };
  const words = ["support-bundle", "--data", data, "--out", out];
  const { status, err } = await runPlaza(words, { env });
  assert.equal(status, 0, err);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  const text = readFileSync(out, "utf8");
  for (const secret of [
    ...Object.values(secrets),
    accountId,
    made.id,
    made.secret ?? made.key ?? "sk-plaza-",
  ])
    assert.ok(!text.includes(secret), secret);
  const bundle = JSON.parse(text) as SupportBundle;
  assert.deepEqual(
    bundle.settings.map(({ variable, value }) => [variable, value]),
    [
      ["PLAZA_PORT", "9999"],
      ["PLAZA_DATA_DIR", data],
      ["PLAZA_OPERATOR_TOKEN", "(not shown)"],
    ],
  );
  assert.ok(bundle.findings.some(({ what, standing }) => what === "upstream main" && standing === "problem"));
  assert.ok(!("unreadable" in bundle.database));
  const { failedRequests, catalog, ...others } = bundle.database;
  assert.ok(Array.isArray(failedRequests) && failedRequests[0]?.attempts[0]?.fault === "upstream_error");
  assert.match(JSON.stringify(catalog), /"origin":"http:\/\/127\.0\.0\.1:1","credentials":1/);
  assert.doesNotMatch(JSON.stringify(others), /unreadable/);
  const again = await runPlaza(words, { env });
  assert.equal(again.status, 1);
  assert.match(again.err, /is there already/);
});
