/** AWS: every source of credentials, against services written from their specifications. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { IdentityRequest } from "../providers/provider.ts";
import { type FakeCloud, now, type Reply, type Seen, withCloud } from "./testing/fake-cloud.ts";

const folder = mkdtempSync(join(tmpdir(), "plaza-identity-"));
after(() => rmSync(folder, { recursive: true }));

const request: IdentityRequest = { cloud: "aws", region: "eu-central-1" };

const expiration = new Date(now + 3_600_000).toISOString();
const keys = {
  AccessKeyId: "ASIACANARYEXAMPLE456",
  SecretAccessKey: "cAnArY7MDENG/bPxRfiCYz+EXAMPLEKEY",
  Token: "IQoJb3JpZ2luX2VjEXAMPLE//////////wEaDGV1==",
  Expiration: expiration,
};
const found = {
  secret: `${keys.AccessKeyId}:${keys.SecretAccessKey}:${keys.Token}`,
  expiresInSeconds: 3_600,
};

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs with a cloud that answers so. */
/** EC2's metadata service, version 2: nothing without a token. */
const instance =
  (role: Reply, credentials: Reply): ((seen: Seen) => Reply) =>
  ({ method, path, headers }) => {
    if (path === "/latest/api/token")
      return method === "PUT" && Number(headers["x-aws-ec2-metadata-token-ttl-seconds"]) > 0
        ? "TOKEN=="
        : 400;
    if (method !== "GET" || headers["x-aws-ec2-metadata-token"] !== "TOKEN==") return 401;
    if (path === "/latest/meta-data/iam/security-credentials/") return role;
    return path === "/latest/meta-data/iam/security-credentials/plaza-role" ? credentials : 404;
  };

test("an instance's role: a token, the role's name, its keys", async () => {
  const answer = { Code: "Success", LastUpdated: "2026-11-22T11:00:00Z", Type: "AWS-HMAC", ...keys };
  await withCloud(instance("plaza-role", answer), async (cloud) => {
    assert.deepEqual(await cloud.get(request, {}), found);
    assert.deepEqual(
      cloud.seen.map(({ method }) => method),
      ["PUT", "GET", "GET"],
    );
  });
});

test("a machine whose clock is hours off still knows how long the keys are good for", async () => {
  for (const offMs of [-86_400_000, 86_400_000]) {
    await withCloud(
      instance("plaza-role", keys),
      async (cloud) => assert.deepEqual(await cloud.get(request, {}), found),
      { nowMs: now + offMs },
    );
  }
});

test("what an instance has no keys for is said", async () => {
  const over = { ...keys, Expiration: new Date(now - 1_000).toISOString() };
  const cases: readonly [Reply, Reply, RegExp, string][] = [
    [404, 404, /this machine has no role \(asked http:\/\/127\.0\.0\.1:\d+\)/, "refused"],
    ["", 404, /this machine has no role/, "refused"],
    ["<html>no role</html>", 404, /not with credentials/, "server"],
    [500, 404, /gave no credentials \(500\)/, "server"],
    [
      "plaza-role",
      { Code: "AssumeRoleUnauthorizedAccess", Message: "SECRET" },
      /200, AssumeRoleUnauth/,
      "refused",
    ],
    ["plaza-role", "<html>", /not with credentials/, "server"],
    ["plaza-role", { ...keys, Token: "line\nbreak" }, /not with credentials/, "server"],
    ["plaza-role", { ...keys, Expiration: "soon" }, /not with credentials/, "server"],
    ["plaza-role", over, /have expired/, "server"],
    ["plaza-role", { ...keys, AccessKeyId: "x".repeat(70_000) }, /TOO_LARGE/, "network"],
    ["plaza-role", { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }, /302/, "refused"],
  ];
  for (const [role, credentials, text, kind] of cases) {
    await withCloud(instance(role, credentials), async (cloud) => {
      await assert.rejects(cloud.get(request, {}), (error: Error & { kind?: string }) => {
        assert.match(error.message, text);
        assert.doesNotMatch(error.message, /SECRET/);
        assert.equal(error.kind, kind);
        return true;
      });
    });
  }
});

test("a metadata service that hangs is given up, with the likely reason", async () => {
  await withCloud(
    () => "hang",
    async (cloud) => {
      await assert.rejects(cloud.get(request, {}), /did not answer within 100 ms\..*hop limit/);
      assert.equal(cloud.seen.length, 1);
    },
    { localMs: 100 },
  );
});

test("a metadata service that is not there, or switched off, is said", async () => {
  let stopped: FakeCloud | undefined;
  await withCloud(
    () => "hang",
    async (cloud) => {
      stopped = cloud;
      const off = { AWS_EC2_METADATA_DISABLED: "true" };
      await assert.rejects(cloud.get(request, off), /AWS_EC2_METADATA_DISABLED/);
      assert.equal(cloud.seen.length, 0);
    },
  );
  await assert.rejects(stopped?.get(request, {}) ?? assert.fail(), /cannot reach http:.*ECONNREFUSED/);
});

test("keys of the environment come first, and only whole", async () => {
  await withCloud(instance("plaza-role", keys), async (cloud) => {
    const id = { AWS_ACCESS_KEY_ID: "AKIACANARYEXAMPLE123", AWS_SECRET_ACCESS_KEY: "abc/def+ghi" };
    const more = { AWS_WEB_IDENTITY_TOKEN_FILE: "/nowhere", AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/x" };
    const secretOf = async (env: Record<string, string>) => {
      const one = await cloud.get(request, env);
      return "secret" in one ? one.secret : undefined;
    };
    assert.equal(await secretOf({ ...more, ...id }), "AKIACANARYEXAMPLE123:abc/def+ghi");
    assert.equal(await secretOf({ ...id, AWS_SESSION_TOKEN: "s==" }), "AKIACANARYEXAMPLE123:abc/def+ghi:s==");
    assert.equal(cloud.seen.length, 0);
    const bad = { ...id, AWS_SECRET_ACCESS_KEY: "has:colon" };
    await assert.rejects(secretOf(bad), /AWS_ACCESS_KEY_ID is not set, or not usable/);
    assert.equal(await secretOf({ AWS_ACCESS_KEY_ID: id.AWS_ACCESS_KEY_ID }), found.secret);
  });
});

const stsAnswer = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>system:serviceaccount:plaza:plaza</SubjectFromWebIdentityToken>
    <Credentials>
      <SessionToken>${keys.Token}</SessionToken>
      <SecretAccessKey>${keys.SecretAccessKey}</SecretAccessKey>
      <Expiration>${expiration}</Expiration>
      <AccessKeyId>${keys.AccessKeyId}</AccessKeyId>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;

const irsa = (token: string) => ({
  AWS_WEB_IDENTITY_TOKEN_FILE: fileWith("web-identity", token),
  AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/plaza",
  // What EKS sets beside it does not come first.
  AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.170.23/v1/credentials",
});

/** STS: takes the one token. */
const sts = ({ method, path, form }: Seen): Reply => {
  const isAsked =
    form.get("Action") === "AssumeRoleWithWebIdentity" &&
    form.get("Version") === "2011-06-15" &&
    form.get("RoleArn") === "arn:aws:iam::123456789012:role/plaza" &&
    /^[\w+=,.@-]{2,64}$/.test(form.get("RoleSessionName") ?? "");
  if (method !== "POST" || path !== "/" || !isAsked) return 400;
  if (form.get("WebIdentityToken") === "eyJ.good.token") return stsAnswer;
  const body =
    "<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>SECRET</Message></Error></ErrorResponse>";
  return { status: 400, body };
};

test("web identity: the file is exchanged at the regional endpoint of STS", async () => {
  await withCloud(sts, async (cloud) => {
    const env = irsa("eyJ.good.token\n");
    assert.deepEqual(await cloud.get(request, env), found);
    await cloud.get(request, { ...env, AWS_REGION: "us-gov-west-1" });
    await cloud.get(request, { ...env, AWS_DEFAULT_REGION: "cn-north-1", AWS_ROLE_SESSION_NAME: "pod-1" });
    assert.deepEqual(cloud.issuers, [
      "https://sts.eu-central-1.amazonaws.com",
      "https://sts.us-gov-west-1.amazonaws.com",
      "https://sts.cn-north-1.amazonaws.com.cn",
    ]);
    assert.equal(cloud.seen[2]?.form.get("RoleSessionName"), "pod-1");
    // The file is read every time.
    irsa("eyJ.expired.token");
    await assert.rejects(
      cloud.get(request, env),
      /^IdentityFailure: .*sts\.eu-central-1\.amazonaws\.com gave no credentials \(400, InvalidIdentityToken\)$/,
    );
  });
});

test("web identity: what is wrong with its settings is said, and nothing is called", async () => {
  await withCloud(sts, async (cloud) => {
    const env = irsa("eyJ.good.token");
    const cases: readonly [Record<string, string>, RegExp][] = [
      [{ AWS_ROLE_ARN: "" }, /AWS_ROLE_ARN is not set/],
      [{ AWS_ROLE_ARN: "plaza" }, /AWS_ROLE_ARN is not set, or not usable/],
      [{ AWS_REGION: "evil.example.com/" }, /AWS_REGION is not set, or not usable/],
      [{ AWS_ROLE_SESSION_NAME: "a b" }, /AWS_ROLE_SESSION_NAME/],
      [{ AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "gone") }, /AWS_WEB_IDENTITY_TOKEN_FILE cannot be read/],
      [{ AWS_WEB_IDENTITY_TOKEN_FILE: folder }, /AWS_WEB_IDENTITY_TOKEN_FILE cannot be read/],
      [{ AWS_WEB_IDENTITY_TOKEN_FILE: fileWith("empty", " \n") }, /not usable \(empty\)/],
      [{ AWS_WEB_IDENTITY_TOKEN_FILE: fileWith("lines", "a\nb") }, /not usable \(token\)/],
    ];
    for (const [change, text] of cases) await assert.rejects(cloud.get(request, { ...env, ...change }), text);
    assert.equal(cloud.seen.length, 0);
  });
});

test("ECS: the task's credentials, at the agent", async () => {
  const agent = ({ method, path }: Seen): Reply =>
    method === "GET" && path === "/v2/credentials/1234" ? { RoleArn: "arn", ...keys } : 404;
  await withCloud(agent, async (cloud) => {
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/1234" };
    assert.deepEqual(await cloud.get(request, env), found);
    const other = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/0" };
    await assert.rejects(cloud.get(request, other), /gave no credentials \(404\)/);
    for (const bad of ["v2", "@evil.example.com/"]) {
      const wrong = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: bad };
      await assert.rejects(cloud.get(request, wrong), /RELATIVE_URI is not set, or not usable/);
    }
  });
});

test("EKS Pod Identity: the pod's token from its file, read every time", async () => {
  let good = "eyJ.pod.one";
  const agent = ({ path, headers }: Seen): Reply => {
    if (path !== "/v1/credentials") return 404;
    if (headers["authorization"] === good) return { AccountId: "123456789012", ...keys };
    return { status: 400, body: { code: "InvalidTokenException", message: "SECRET" } };
  };
  await withCloud(agent, async (cloud) => {
    const path = fileWith("pod-identity", good);
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.origin}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "ignored",
    };
    assert.deepEqual(await cloud.get(request, env), found);
    good = "eyJ.pod.two";
    await assert.rejects(cloud.get(request, env), /\(400, InvalidTokenException\)$/);
    writeFileSync(path, good);
    assert.deepEqual(await cloud.get(request, env), found);
    const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: _, ...plain } = env;
    assert.deepEqual(await cloud.get(request, { ...plain, AWS_CONTAINER_AUTHORIZATION_TOKEN: good }), found);
  });
});

test("container credentials without TLS are asked for on this machine and its link only", async () => {
  for (const uri of [
    "http://evil.example.com/",
    "http://169.254.169.254/",
    "http://10.0.0.1/",
    "http://127.0.0.1.evil.example.com/",
    "ftp://localhost/",
    "http://user:pass@localhost/",
    "nonsense",
  ]) {
    await withCloud(
      () => keys,
      async (cloud) => {
        const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: uri };
        await assert.rejects(cloud.get(request, env), /FULL_URI is not set, or not usable/, uri);
      },
    );
  }
});
