/** Google: Application Default Credentials, against services written from their specifications. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { IdentityRequest } from "../providers/provider.ts";
import { now, type Reply, type Seen, withCloud } from "./testing/fake-cloud.ts";

const folder = mkdtempSync(join(tmpdir(), "plaza-identity-"));
after(() => rmSync(folder, { recursive: true }));

const scope = "https://www.googleapis.com/auth/cloud-platform";
const request: IdentityRequest = { cloud: "google", scope };

/** The environment with this file. */
function envWith(value: unknown): { GOOGLE_APPLICATION_CREDENTIALS: string } {
  const path = join(folder, "credentials.json");
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return { GOOGLE_APPLICATION_CREDENTIALS: path };
}

const flavor = { "metadata-flavor": "Google" };

/** The metadata server: nothing without its header, which it sends, too. */
const metadata =
  (reply: { status: number; body: unknown }, headers: Readonly<Record<string, string>> = flavor) =>
  ({ method, path, query, headers: asked }: Seen): Reply => {
    if (asked["metadata-flavor"] !== "Google" || "x-forwarded-for" in asked) return 403;
    const isToken = path === "/computeMetadata/v1/instance/service-accounts/default/token";
    return method === "GET" && isToken && query.get("scopes") === scope ? { ...reply, headers } : 404;
  };

const token = { access_token: "ya29.CANARY", expires_in: 3599, token_type: "Bearer" };

test("the metadata server: a token of the machine's service account", async () => {
  await withCloud(metadata({ status: 200, body: token }), async (cloud) => {
    assert.deepEqual(await cloud.get(request, {}), { secret: "ya29.CANARY", expiresInSeconds: 3_599 });
  });
});

test("what a metadata server does not give is said", async () => {
  const cases: readonly [(seen: Seen) => Reply, RegExp, string][] = [
    [metadata({ status: 404, body: "<html>SECRET" }), /this machine has no role/, "refused"],
    [metadata({ status: 503, body: "" }), /gave no credentials \(503\)/, "server"],
    [metadata({ status: 403, body: "SECRET" }), /gave no credentials \(403\)/, "refused"],
    [metadata({ status: 200, body: "<html>" }), /not with credentials/, "server"],
    [metadata({ status: 200, body: { ...token, expires_in: 0 } }), /not with credentials/, "server"],
    [metadata({ status: 200, body: { ...token, expires_in: null } }), /not with credentials/, "server"],
    [metadata({ status: 200, body: { ...token, access_token: "a b" } }), /not with credentials/, "server"],
    // Something else listens there.
    [metadata({ status: 200, body: token }, {}), /not with credentials/, "server"],
  ];
  for (const [answer, text, kind] of cases) {
    await withCloud(answer, async (cloud) => {
      await assert.rejects(cloud.get(request, {}), (error: Error & { kind?: string }) => {
        assert.match(error.message, text);
        assert.doesNotMatch(error.message, /SECRET/);
        assert.equal(error.kind, kind);
        return true;
      });
    });
  }
  await withCloud(
    () => "hang",
    async (cloud) => {
      await assert.rejects(cloud.get(request, {}), /did not answer within 100 ms/);
    },
    { localMs: 100 },
  );
});

test("a service account's key is for the provider to exchange", async () => {
  const key = JSON.stringify({ type: "service_account", client_email: "a@b.iam.gserviceaccount.com" });
  await withCloud(
    () => 500,
    async (cloud) => {
      assert.deepEqual(await cloud.get(request, envWith(key)), { credential: key });
      assert.equal(cloud.seen.length, 0);
    },
  );
});

const account = "plaza@project.iam.gserviceaccount.com";
const audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/eks";
const jwt = "urn:ietf:params:oauth:token-type:jwt";

const external = (more: Record<string, unknown> = {}) => {
  const file = join(folder, "subject");
  writeFileSync(file, "eyJ.subject.token\n");
  return {
    type: "external_account",
    audience,
    subject_token_type: jwt,
    token_url: "https://sts.googleapis.com/v1/token",
    credential_source: { file },
    ...more,
  };
};

/** STS, the source of subject tokens, and the IAM Credentials API. */
const federation = ({ method, path, form, headers, body }: Seen): Reply => {
  if (path === "/subject") {
    if (method !== "GET" || headers["x-source"] !== "yes") return 403;
    return { status: 200, body: { id: { no: 1 }, value: "eyJ.subject.token" } };
  }
  if (path === "/v1/token" && method === "POST") {
    const isAsked =
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:token-exchange" &&
      form.get("requested_token_type") === "urn:ietf:params:oauth:token-type:access_token" &&
      form.get("audience") === audience &&
      form.get("subject_token_type") === jwt &&
      form.get("scope") === scope;
    if (!isAsked) return 400;
    if (form.get("subject_token") === "eyJ.subject.token")
      return { ...token, access_token: "ya29.federated", issued_token_type: "x" };
    return { status: 400, body: { error: "invalid_grant", error_description: "SECRET" } };
  }
  if (path === `/v1/projects/-/serviceAccounts/${account}:generateAccessToken` && method === "POST") {
    if (headers["authorization"] !== "Bearer ya29.federated")
      return { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: "SECRET" } } };
    const asked = JSON.parse(body) as { scope: string[]; lifetime: string };
    assert.deepEqual(asked.scope, [scope]);
    const seconds = Number.parseInt(asked.lifetime, 10);
    return { accessToken: "ya29.account", expireTime: new Date(now + seconds * 1_000).toISOString() };
  }
  return 404;
};

const impersonation = {
  service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:generateAccessToken`,
};

test("federation: a token in a file is exchanged, then for a service account's", async () => {
  await withCloud(
    federation,
    async (cloud) => {
      const federated = { secret: "ya29.federated", expiresInSeconds: 3_599 };
      assert.deepEqual(await cloud.get(request, envWith(external())), federated);
      const acting = { secret: "ya29.account", expiresInSeconds: 3_600 };
      assert.deepEqual(await cloud.get(request, envWith(external(impersonation))), acting);
      const longer = { ...impersonation, service_account_impersonation: { token_lifetime_seconds: 7_200 } };
      const got = await cloud.get(request, envWith(external(longer)));
      assert.equal("secret" in got ? got.expiresInSeconds : 0, 7_200);
      assert.deepEqual(
        [...new Set(cloud.issuers)],
        ["https://sts.googleapis.com", "https://iamcredentials.googleapis.com"],
      );
    },
    // The moments in the answers are read by the clock of who answers.
    { nowMs: now + 86_400_000 },
  );
});

test("federation: a token from an address, inside JSON", async () => {
  await withCloud(federation, async (cloud) => {
    const source = {
      url: `${cloud.origin}/subject`,
      headers: { "X-Source": "yes" },
      format: { type: "json", subject_token_field_name: "value" },
    };
    const env = envWith(external({ credential_source: source }));
    const federated = { secret: "ya29.federated", expiresInSeconds: 3_599 };
    assert.deepEqual(await cloud.get(request, env), federated);
    const other = { ...source, format: { ...source.format, subject_token_field_name: "id" } };
    const wrong = envWith(external({ credential_source: other }));
    await assert.rejects(cloud.get(request, wrong), /not usable \(credential_source\.format\)/);
    const refused = envWith(external({ credential_source: { ...source, headers: {} } }));
    await assert.rejects(cloud.get(request, refused), /gave no credentials \(403\)/);
  });
});

test("federation: what is refused is said, without the issuer's words", async () => {
  await withCloud(federation, async (cloud) => {
    const old = external();
    writeFileSync(old.credential_source.file, "eyJ.old.token");
    await assert.rejects(
      cloud.get(request, envWith(old)),
      /^IdentityFailure: .*https:\/\/sts\.googleapis\.com gave no credentials \(400, invalid_grant\)$/,
    );
  });
  const denied = (seen: Seen): Reply =>
    federation({ ...seen, headers: { ...seen.headers, authorization: "Bearer other" } });
  await withCloud(denied, async (cloud) => {
    const env = envWith(external(impersonation));
    await assert.rejects(cloud.get(request, env), /iamcredentials.*\(403, PERMISSION_DENIED\)$/);
  });
});

test("a file that sends tokens elsewhere than to Google, or is not usable, is refused before any call", async () => {
  await withCloud(federation, async (cloud) => {
    const evil = "https://sts.googleapis.com.evil.example.com/v1/token";
    const url = "service_account_impersonation_url";
    const cases: readonly [unknown, RegExp][] = [
      [external({ token_url: evil }), /not usable \(token_url\)/],
      [external({ token_url: "http://sts.googleapis.com/v1/token" }), /not usable \(token_url\)/],
      [external({ token_url: "https://sts.googleapis.com:8443/v1/token" }), /not usable \(token_url\)/],
      [external({ audience: undefined }), /not usable \(audience\)/],
      [external({ subject_token_type: 7 }), /not usable \(subject_token_type\)/],
      [external({ credential_source: { executable: { command: "id" } } }), /\(credential_source\)/],
      [
        external({ credential_source: { environment_id: "aws1", url: "file:///x" } }),
        /\(credential_source\)/,
      ],
      [external({ credential_source: { file: join(folder, "gone") } }), /cannot be read/],
      ["not JSON", /not usable \(JSON\)/],
      [{ type: "gdch_service_account" }, /not usable \(type\)/],
      [{ type: "authorized_user", client_id: "c" }, /not usable \(client_secret\)/],
    ];
    for (const [value, text] of cases) await assert.rejects(cloud.get(request, envWith(value)), text);
    assert.equal(cloud.seen.length, 0);
    const gone = { GOOGLE_APPLICATION_CREDENTIALS: join(folder, "gone") };
    await assert.rejects(cloud.get(request, gone), /GOOGLE_APPLICATION_CREDENTIALS cannot be read/);
    assert.equal(cloud.seen.length, 0);
    // The token of the exchange goes nowhere else, either.
    const env = envWith(external({ [url]: "https://evil.example.com/" }));
    await assert.rejects(cloud.get(request, env), /not usable \(service_account_impersonation_url\)/);
    assert.ok(!cloud.issuers.includes("https://evil.example.com"));
  });
});

test("a user's sign-in: its refresh token for an access token", async () => {
  const issuer = ({ path, form }: Seen): Reply =>
    path === "/token" && form.get("grant_type") === "refresh_token" && form.get("refresh_token") === "1//r"
      ? token
      : { status: 400, body: { error: "invalid_grant" } };
  await withCloud(issuer, async (cloud) => {
    const file = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "1//r" };
    const found = { secret: "ya29.CANARY", expiresInSeconds: 3_599 };
    assert.deepEqual(await cloud.get(request, envWith(file)), found);
    assert.deepEqual(cloud.issuers, ["https://oauth2.googleapis.com"]);
    const ended = envWith({ ...file, refresh_token: "1//ended" });
    await assert.rejects(cloud.get(request, ended), /\(400, invalid_grant\)/);
  });
});
