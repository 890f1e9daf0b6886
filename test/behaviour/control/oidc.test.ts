/** Signing in through a real OpenID provider on loopback, with all redirects over HTTP. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Provider } from "oidc-provider";
import { ensureSetupLink } from "../../../server/src/control/auth/links.ts";
import { localPath } from "../../../server/src/control/auth/oidc.ts";
import { type ConsoleRig, startConsole } from "../harness/console-rig.ts";

interface Person {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

interface TestProvider {
  readonly issuer: string;
  /** The users at the provider, by subject. */
  readonly people: Map<string, Person>;
  stop(): Promise<void>;
}

/** A provider whose users sign in with their name only. `redirectUri` is set once the console listens. */
async function startProvider(context: TestContext, client: { secret?: string; redirectUri: () => string }) {
  const people = new Map<string, Person>();
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let provider: Provider | undefined;
  const made = () => {
    provider ??= new Provider(issuer, {
      clients: [
        {
          client_id: "plaza",
          ...(client.secret === undefined
            ? { token_endpoint_auth_method: "none" as const }
            : { client_secret: client.secret }),
          redirect_uris: [client.redirectUri()],
          response_types: ["code"],
          grant_types: ["authorization_code"],
        },
      ],
      pkce: { required: () => true },
      scopes: ["openid", "email", "profile"],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }),
      features: { devInteractions: { enabled: true } },
      cookies: { keys: ["test"] },
    });
    return provider;
  };
  server.on("request", (req, res) => void made().callback()(req, res));
  context.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const started: TestProvider = {
    issuer,
    people,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return started;
}

/** A minimal browser: follows redirects, keeps cookies per origin, fills in the provider's forms. */
function createBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visited: string[] = [];

  async function ask(address: URL, form?: URLSearchParams): Promise<Response> {
    visited.push(address.href);
    const jar = jars.get(address.origin) ?? new Map<string, string>();
    jars.set(address.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, {
      redirect: "manual",
      headers: { cookie },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  const isPage = ({ pathname }: URL) => !pathname.startsWith("/api/");

  /**
   * Follows redirects until a page of `home` (by default any that is not an API path): resolves with its
   * path.
   */
  async function go(from: string, home: string, login: string, isEnd = isPage): Promise<string> {
    let address = new URL(from);
    let response = await ask(address);
    for (let step = 0; step < 20; step += 1) {
      const location = response.headers.get("location");
      if (location !== null) {
        address = new URL(location, address);
        if (address.origin === home && isEnd(address)) return address.pathname + address.search;
        response = await ask(address);
        continue;
      }
      const page = await response.text();
      const [, action] = /action="([^"]+)"/.exec(page) ?? [];
      const [, prompt = "login"] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      if (action === undefined)
        throw new Error(`${response.status} at ${address.href}: ${page.slice(0, 500)}`);
      address = new URL(action, address);
      response = await ask(address, new URLSearchParams({ prompt, login, password: "any" }));
    }
    throw new Error(`too many steps: ${visited.join("\n")}`);
  }

  return { go, ask, visited, jars };
}

async function session(rig: ConsoleRig, browser: ReturnType<typeof createBrowser>) {
  const response = await browser.ask(new URL("/api/session", rig.url));
  return (await response.json()) as {
    user: Record<string, unknown> | null;
    account: Record<string, unknown> | null;
  };
}

/** A console and a provider configured for each other. */
async function start(context: TestContext, more: { env?: Record<string, string>; secret?: string } = {}) {
  let redirectUri = "";
  const secret = more.secret ?? "provider secret";
  const isPublic = more.secret === "";
  const provider = await startProvider(context, {
    redirectUri: () => redirectUri,
    ...(isPublic ? {} : { secret }),
  });
  const rig = await startConsole(context, {
    env: {
      PLAZA_OIDC_ISSUER: provider.issuer,
      PLAZA_OIDC_CLIENT_ID: "plaza",
      ...(isPublic ? {} : { PLAZA_OIDC_CLIENT_SECRET: secret }),
      PLAZA_OIDC_NAME: "Test ID",
      ...more.env,
    },
  });
  redirectUri = `${rig.url}/api/oidc/callback`;
  const begin = `${rig.url}/api/oidc/begin`;
  return { rig, provider, begin, browser: createBrowser() };
}

test("a user with the verified address is linked, comes back to the page asked for, and the old password is void", async (context) => {
  const { rig, provider, begin, browser } = await start(context);
  assert.deepEqual((await rig.nobody.call("GET", "/session")).body.installation.oidc, { name: "Test ID" });
  provider.people.set("s-1", { email: "Member@A.test", email_verified: true, name: "Mem Ber" });
  const ended = await browser.go(`${begin}?returnTo=${encodeURIComponent("/usage?days=7")}`, rig.url, "s-1");
  assert.equal(ended, "/usage?days=7");
  const { user, account } = await session(rig, browser);
  assert.deepEqual(
    [user?.["email"], user?.["hasPassword"], account?.["role"]],
    ["member@a.test", false, "member"],
  );
  const asked = new URL(browser.visited.find((address) => address.includes("/auth?")) ?? "");
  assert.equal(asked.searchParams.get("code_challenge_method"), "S256");
  assert.ok((asked.searchParams.get("nonce") ?? "").length > 20);
  const old = { email: "member@a.test", password: rig.password };
  assert.equal((await rig.nobody.call("POST", "/session", old)).status, 401);
  assert.equal(
    (await rig.as("member").call("GET", "/session")).body.user,
    null,
    "sessions of before are over",
  );
  // The identity is now linked, so the email address may change.
  provider.people.set("s-1", { email: "owner@a.test", email_verified: true });
  const again = createBrowser();
  assert.equal(await again.go(begin, rig.url, "s-1"), "/");
  assert.equal((await session(rig, again)).user?.["email"], "member@a.test");
});

test("an operator who is linked keeps the password", async (context) => {
  const { rig, provider, begin, browser } = await start(context);
  provider.people.set("s-op", { email: "operator@plaza.test", email_verified: true });
  assert.equal(await browser.go(begin, rig.url, "s-op"), "/");
  assert.equal((await session(rig, browser)).user?.["hasPassword"], true);
  assert.equal((await rig.as("operator").call("GET", "/session")).body.user.isOperator, true);
});

test("an address the provider has not checked is nobody's, and strangers stay out", async (context) => {
  const { rig, provider, begin } = await start(context);
  provider.people.set("s-2", { email: "member@a.test", email_verified: false });
  provider.people.set("s-3", { email: "new@a.test", email_verified: true });
  provider.people.set("s-4", {});
  for (const [subject, failure] of [
    ["s-2", "unverified"],
    ["s-3", "unknown"],
    ["s-4", "unverified"],
  ] as const) {
    const browser = createBrowser();
    assert.equal(await browser.go(begin, rig.url, subject), `/sign-in?oidc=${failure}`);
    assert.equal((await session(rig, browser)).user, null);
  }
  assert.equal((await rig.as("operator").call("GET", "/operator/users?search=new@")).body.users.length, 0);
});

test("somebody invited joins by the verified address; a disabled user stays out", async (context) => {
  const { rig, provider, begin, browser } = await start(context);
  const invited = { email: "new@a.test", role: "member" };
  const { body: link } = await rig.as("owner").call("POST", "/members/invitations", invited);
  provider.people.set("s-5", { email: "new@a.test", email_verified: true, name: "New" });
  assert.equal(await browser.go(begin, rig.url, "s-5"), "/");
  const { user, account } = await session(rig, browser);
  assert.deepEqual([user?.["name"], account?.["id"], account?.["role"]], ["New", rig.accountA, "member"]);
  assert.equal((await rig.nobody.call("GET", `/links/${link.token}`)).body.error.code, "already_used");
  const id = String(user?.["id"]);
  await rig.as("operator").call("PATCH", `/operator/users/${id}`, { status: "disabled", revision: 0 });
  assert.equal(await createBrowser().go(begin, rig.url, "s-5"), "/sign-in?oidc=disabled");
});

test("with sign-up on a stranger gets a user with an empty account, through a public client", async (context) => {
  const { rig, provider, begin, browser } = await start(context, {
    env: { PLAZA_OIDC_SIGN_UP: "on" },
    secret: "",
  });
  provider.people.set("s-6", { email: "free@b.test", email_verified: true, name: "Free" });
  assert.equal(await browser.go(begin, rig.url, "s-6"), "/");
  const { user, account } = await session(rig, browser);
  assert.deepEqual([user?.["email"], account?.["name"], account?.["role"]], ["free@b.test", "Free", "owner"]);
  const made = await rig.store.findAccount(String(account?.["id"]));
  assert.equal(made?.balance, 0n);
  assert.equal((await ensureSetupLink(rig.context)) === undefined, true);
});

test("what another browser began, or nobody, signs nobody in", async (context) => {
  const { rig, provider, begin, browser } = await start(context);
  provider.people.set("s-7", { email: "member@a.test", email_verified: true });
  const attacker = createBrowser();
  await attacker.go(begin, rig.url, "s-7");
  const callback = attacker.visited.find((address) => address.includes("/api/oidc/callback?")) ?? "";
  const ends = async (address: string): Promise<string | null> =>
    (await browser.ask(new URL(address))).headers.get("location");
  assert.equal(await ends(callback), "/sign-in?oidc=expired", "no cookie of its own");
  await browser.ask(new URL(begin));
  assert.equal(await ends(callback), "/sign-in?oidc=invalid", "another state");
  await browser.ask(new URL(begin));
  rig.clock.add(11 * 60_000);
  assert.equal(await ends(callback), "/sign-in?oidc=expired", "too late");
  await browser.ask(new URL(begin));
  const denied = `${rig.url}/api/oidc/callback?error=access_denied&state=x`;
  assert.equal(await ends(denied), "/sign-in?oidc=refused");
  assert.equal((await session(rig, browser)).user, null);
});

test("a callback counts with its own state only, and once", async (context) => {
  const { rig, provider, begin, browser } = await start(context);
  provider.people.set("s-8", { email: "member@a.test", email_verified: true });
  const isCallback = ({ pathname }: URL) => pathname === "/api/oidc/callback";
  const arrive = async () => new URL(await browser.go(begin, rig.url, "s-8", isCallback), rig.url);
  const ends = async (address: URL) => (await browser.ask(address)).headers.get("location");
  const forged = await arrive();
  forged.searchParams.set("state", "another");
  assert.equal(await ends(forged), "/sign-in?oidc=invalid");
  assert.equal((await session(rig, browser)).user, null);
  const sound = await arrive();
  assert.equal(await ends(sound), "/");
  assert.equal((await session(rig, browser)).user?.["email"], "member@a.test");
  assert.equal(await ends(sound), "/sign-in?oidc=expired");
});

test("a provider that does not answer, or none at all, leads back to the sign-in page", async (context) => {
  const { rig, provider, begin, browser } = await start(context);
  await provider.stop();
  const first = await browser.ask(new URL(begin));
  assert.equal(first.headers.get("location"), "/sign-in?oidc=unreachable");
  assert.ok(rig.log.some((line) => line.includes("oidc_sign_in_failed")));
  const plain = await startConsole(context);
  const none = await browser.ask(new URL(`${plain.url}/api/oidc/begin`));
  assert.equal(none.headers.get("location"), "/sign-in?oidc=not_configured");
});

test("people come back to a path of the console only", () => {
  const site = "https://plaza.test";
  for (const path of ["/", "/usage", "/models/a?b=c#d", "/a//b"]) assert.equal(localPath(path, site), path);
  for (const path of [
    undefined,
    "",
    "usage",
    "//evil.test",
    "/\\evil.test",
    "/\t/evil.test",
    "https://evil.test",
    "javascript:alert(1)",
    "/api/session",
    "/..//evil.test",
    "/x\\y",
  ])
    assert.equal(localPath(path, site), "/", String(path));
});
