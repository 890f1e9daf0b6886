import assert from "node:assert/strict";
import { createVerify, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { tokens } from "./tokens.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const account = {
  type: "service_account",
  project_id: "p",
  private_key_id: "k1",
  private_key: pem,
  client_email: "robot@p.iam.gserviceaccount.com",
  token_uri: "https://oauth2.googleapis.com/token",
};
const nowMs = Date.UTC(2026, 10, 21);

const upstreamWith = (options?: Record<string, string>): Upstream => ({
  id: "g",
  provider: "google",
  baseUrl:
    "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google",
  credentials: [],
  timeouts: defaultTimeouts,
  ...(options === undefined ? {} : { options }),
});

const call = (credential: object | string, options?: Record<string, string>) =>
  tokens.call(
    typeof credential === "string" ? credential : JSON.stringify(credential),
    upstreamWith(options),
    nowMs,
  );

const parsed = (part: string | undefined): unknown =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));

test("a service account's key becomes a signed grant to Google's own address", () => {
  const made = call(account) ?? assert.fail();
  assert.equal(made.origin, "https://oauth2.googleapis.com");
  assert.equal(made.path, "/token");
  const form = new URLSearchParams(made.body.toString());
  assert.equal(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  const [head, claims, signature] = (form.get("assertion") ?? "").split(".");
  assert.deepEqual(parsed(head), { alg: "RS256", typ: "JWT", kid: "k1" });
  const seconds = nowMs / 1000;
  assert.deepEqual(parsed(claims), {
    iss: account.client_email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: "https://oauth2.googleapis.com/token",
    iat: seconds - 30,
    exp: seconds + 3_570,
  });
  const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`);
  assert.ok(verify.verify(publicKey, Buffer.from(signature ?? "", "base64url")));
  assert.doesNotMatch(made.body.toString(), /PRIVATE|private/);
});

test("keys and tokens are presented as they are", () => {
  for (const credential of ["AIzaSyABC", "ya29.token", ""]) assert.equal(call(credential), undefined);
});

test("the private key signs for Google or for whom the operator names, and nobody else", () => {
  for (const uri of [
    "https://evil.test/token",
    "http://oauth2.googleapis.com/token",
    "https://googleapis.com.evil.test/token",
    "https://evilgoogleapis.com/token",
    "https://oauth2.googleapis.com:8443/token",
    "https://evil.test\\@oauth2.googleapis.com/",
    "not an address",
    "file:///etc/passwd",
    7,
  ]) {
    assert.throws(() => call({ ...account, token_uri: uri }), /token_uri/, String(uri));
  }
  const made = call(
    { ...account, token_uri: "https://evil.test/" },
    { tokenUri: "http://127.0.0.1:9/t?x=1" },
  );
  assert.equal(made?.origin, "http://127.0.0.1:9");
  assert.equal(made?.path, "/t?x=1");
});

test("a broken key is refused without showing it, and never presented as it is", () => {
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const broken: (object | string)[] = [
    `{${pem}`,
    ` {"type":"authorized_user"}`,
    { ...account, private_key: "-----BEGIN PRIVATE KEY-----\nSECRETSECRET\n-----END PRIVATE KEY-----\n" },
    { ...account, private_key: 1 },
    { ...account, private_key: ec.export({ type: "pkcs8", format: "pem" }).toString() },
    { ...account, client_email: undefined },
  ];
  for (const credential of broken) {
    assert.throws(
      () => call(credential),
      (error: Error) => !/SECRET|BEGIN/.test(String(error.stack)) && error.cause === undefined,
    );
  }
});

test("the token in an answer, and what is none", () => {
  assert.deepEqual(tokens.read('{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}'), {
    token: "ya29.x",
    expiresInSeconds: 3_599,
  });
  for (const body of [
    "",
    "[]",
    "<html>",
    "{}",
    '{"access_token":"","expires_in":3599}',
    '{"access_token":"a\\r\\nx: y","expires_in":3599}',
    '{"access_token":"a","expires_in":0}',
    '{"access_token":"a","expires_in":"3599"}',
    '{"access_token":"a"}',
    '{"error":"invalid_grant"}',
  ]) {
    assert.equal(tokens.read(body), undefined, body);
  }
});
