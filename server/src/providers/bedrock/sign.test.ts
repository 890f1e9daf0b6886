import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { modelPath, readCredential, regionOf } from "./address.ts";
import { signCall } from "./sign.ts";

const upstream: Upstream = {
  id: "b",
  provider: "bedrock",
  baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com",
  credentials: [],
  timeouts: defaultTimeouts,
};

const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

interface Signable {
  readonly method: string;
  /** The path as it is sent. */
  readonly path: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly secret: string;
}

/** Computes the signature a second time, independently, from docs/wire/bedrock-converse.md section 1. */
function signatureBy({ method, path, query = "", headers, body, date, region, service, secret }: Signable): {
  readonly signature: string;
  readonly names: string;
} {
  const sorted = Object.keys(headers).sort();
  const names = sorted.join(";");
  const doubly = path
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/");
  const canonical = [
    method,
    doubly,
    query,
    ...sorted.map((name) => `${name}:${headers[name]}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const day = date.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (made, text) => hmac(made, text),
    `AWS4${secret}`,
  );
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  return { signature: createHmac("sha256", key).update(text).digest("hex"), names };
}

test("the second hand knows AWS's published vector (get-vanilla)", () => {
  const { signature } = signatureBy({
    method: "GET",
    path: "/",
    headers: { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" },
    body: Buffer.alloc(0),
    date: "20150830T123600Z",
    region: "us-east-1",
    service: "service",
    secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  });
  assert.equal(signature, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
});

const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const nowMs = Date.UTC(2026, 10, 21, 15, 4, 5, 678);
const date = "20261121T150405Z";

const cases: readonly (readonly [
  name: string,
  baseUrl: string,
  host: string,
  region: string,
  query: string,
])[] = [
  ["the public host", upstream.baseUrl, "bedrock-runtime.eu-central-1.amazonaws.com", "eu-central-1", ""],
  ["a port and a path", "http://127.0.0.1:8123/aws/", "127.0.0.1:8123", "us-east-1", ""],
  ["a query", "https://proxy.test/b?z=1&a=x%20y", "proxy.test", "us-east-1", "a=x%20y&z=1"],
];

for (const [name, baseUrl, host, region, query] of cases) {
  for (const token of [undefined, "tok/en+=="]) {
    test(`a call is signed: ${name}, ${token === undefined ? "long-lived keys" : "temporary keys"}`, async () => {
      const here = { ...upstream, baseUrl };
      const path = modelPath(
        here,
        "arn:aws:bedrock:us-east-1:1:inference-profile/us.a-v1:0",
        "converse-stream",
      );
      const body = Buffer.from('{"messages":[{"role":"user","content":[{"text":"é"}]}]}');
      const headers = ["content-type", "application/json", "accept", "x", "user-agent", "plaza/0.1"];
      const credential = ["AKIAIOSFODNN7EXAMPLE", secret, ...(token === undefined ? [] : [token])].join(":");
      const signed = await signCall({ path, headers, body }, here, credential, nowMs);
      assert.equal(signed.path, path);
      assert.equal(signed.body, body);
      assert.deepEqual(signed.headers.slice(0, headers.length), headers);
      const added = Object.fromEntries(
        Array.from({ length: (signed.headers.length - headers.length) / 2 }, (_, index) =>
          signed.headers.slice(headers.length + index * 2, headers.length + index * 2 + 2),
        ),
      ) as Record<string, string>;
      const { authorization, ...others } = added;
      assert.deepEqual(others, {
        "x-amz-date": date,
        "x-amz-content-sha256": sha256(body),
        ...(token === undefined ? {} : { "x-amz-security-token": token }),
      });
      const { signature, names } = signatureBy({
        method: "POST",
        path: path.split("?")[0] ?? "",
        query,
        headers: { host, "content-type": "application/json", ...others },
        body,
        date,
        region,
        service: "bedrock",
        secret,
      });
      assert.equal(
        authorization,
        `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261121/${region}/bedrock/aws4_request, ` +
          `SignedHeaders=${names}, Signature=${signature}`,
      );
    });
  }
}

test("an API key is no pair of keys: nothing is signed", async () => {
  const call = { path: "/model/m/converse", headers: ["authorization", "Bearer k"], body: Buffer.from("{}") };
  for (const key of ["ABSKQmVkcm9jazpzZWNyZXQ=", "bedrock-api-key-YmVkcm9jaw==", "", "short:secret"]) {
    assert.equal(readCredential(key).kind, "bearer");
    assert.equal(await signCall(call, upstream, key, nowMs), call);
  }
});

test("the region is what the operator says, else what the host says", () => {
  const of = (baseUrl: string, region?: string): string =>
    regionOf({ ...upstream, baseUrl, ...(region === undefined ? {} : { options: { region } }) });
  assert.equal(of("https://bedrock-runtime.us-west-2.amazonaws.com"), "us-west-2");
  assert.equal(of("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com"), "us-gov-west-1");
  assert.equal(of("https://vpce-1a.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com"), "ap-southeast-2");
  assert.equal(of("https://bedrock-runtime.us-west-2.amazonaws.com", "eu-west-1"), "eu-west-1");
  assert.equal(of("http://127.0.0.1:9000"), "us-east-1");
});

test("a model's id is one segment of the path", () => {
  const path = (model: string): string => modelPath(upstream, model, "converse");
  assert.equal(path("us.a.b-v1:0"), "/model/us.a.b-v1%3A0/converse");
  assert.equal(path("arn:aws:x/y z"), "/model/arn%3Aaws%3Ax%2Fy%20z/converse");
  assert.equal(path("a!'()*é\ud800"), "/model/a%21%27%28%29%2A%C3%A9%EF%BF%BD/converse");
});
