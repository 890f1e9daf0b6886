/**
 * The control plane alone with its own port and SQLite file, with a signed-in user of every role, for tests
 * of the console's API. `as(role)` returns a `call` with that user's cookie and CSRF token.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Catalog, defaultTimeouts } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { machineIdentity, nodeClients } from "../../../server/src/app/outbound.ts";
import { type Environment, readConfig } from "../../../server/src/config/config.ts";
import { createControlListener } from "../../../server/src/control/app.ts";
import { RepeatedRefusals } from "../../../server/src/control/audit/repeats.ts";
import { hashPassword } from "../../../server/src/control/auth/passwords.ts";
import { digestOf, newSecret } from "../../../server/src/control/auth/secret-text.ts";
import { lifeMs, sessionCookie } from "../../../server/src/control/auth/sessions.ts";
import type { ControlContext } from "../../../server/src/control/context.ts";
import { createLiveHub, type OwnLive } from "../../../server/src/control/live/hub.ts";
import type { ModelCatalog } from "../../../server/src/domain/catalog/model-catalog.ts";
import { createLiveSampler } from "../../../server/src/gateway/observe/live/sampler.ts";
import { createIdFactory } from "../../../server/src/lib/id.ts";
import { createLog } from "../../../server/src/lib/telemetry/log.ts";
import { createRegistry } from "../../../server/src/lib/telemetry/metrics.ts";
import type { Clock } from "../../../server/src/lib/time/clock.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { createMigratedFile } from "../../../server/src/store/testing/migrated-file.ts";

/** Members of accounts A and B, the operator, and an anonymous visitor. */
export const consoleRoles = ["nobody", "member", "owner", "stranger", "operator"] as const;
export type ConsoleRole = (typeof consoleRoles)[number];

export interface Answer {
  readonly status: number;
  /** Parsed if it is JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any type.
  readonly body: any;
  readonly headers: Headers;
}

export interface Sender {
  /** `path` below `/api`; an object as body is sent as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface SignedInSender extends Sender {
  readonly userId: string;
  readonly email: string;
  readonly sessionId: string;
  readonly cookie: string;
  readonly csrf: string;
}

export interface ConsoleRig {
  /** Origin of the console. */
  readonly url: string;
  readonly store: Store;
  readonly file: string;
  readonly context: ControlContext;
  /** Advances with the system's clock, plus `add`. */
  readonly clock: Clock & { add(ms: number): void };
  readonly log: readonly string[];
  /** Account A belongs to member and owner, account B to the stranger, who is its owner. */
  readonly accountA: string;
  readonly accountB: string;
  /** The password of all users. */
  readonly password: string;
  readonly nobody: Sender;
  as(role: Exclude<ConsoleRole, "nobody">): SignedInSender;
  /** A sender with an operator token of these scopes. */
  withToken(
    ...scopes: Parameters<Store["createOperatorToken"]>[0]["scopes"]
  ): Promise<Sender & { id: string }>;
  /** Creates and signs in another user. */
  newUser(user: NewConsoleUser): Promise<SignedInSender>;
}

export interface NewConsoleUser {
  readonly email: string;
  readonly accountId?: string;
  readonly role?: "owner" | "member";
  readonly isOperator?: boolean;
}

const demoCatalog: Catalog = {
  upstreams: [{ id: "demo", provider: "demo", baseUrl: "", credentials: [], timeouts: defaultTimeouts }],
  models: [
    {
      id: "demo",
      name: "Demo",
      price: { input: nanoUsd(0n), output: nanoUsd(0n) },
      deployments: [{ upstream: "demo", model: "demo", priority: 1, weight: 1 }],
    },
  ],
  limits: {},
};

async function send(
  url: string,
  own: Record<string, string>,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    redirect: "manual",
    headers: { ...own, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    body: isJson && text !== "" ? JSON.parse(text) : text,
    headers: response.headers,
  };
}

function senderWith(url: string, own: Record<string, string>): Sender {
  return { call: (method, path, body, headers = {}) => send(url, own, method, path, body, headers) };
}

function movingClock(): ConsoleRig["clock"] {
  let addedMs = 0;
  return {
    wallMs: () => Date.now() + addedMs,
    elapsedMs: () => performance.now() + addedMs,
    add(ms) {
      addedMs += ms;
    },
  };
}

let passwordHash: Promise<string> | undefined;
const password = "correct horse 42 battery";

/** Creates a session directly in the store. */
async function signIn(context: ControlContext, url: string, user: NewConsoleUser): Promise<SignedInSender> {
  const { store, clock, newId } = context;
  passwordHash ??= hashPassword(password);
  const token = newSecret(randomBytes);
  const nowMs = clock.wallMs();
  await store.createLink({
    id: newId("lnk"),
    digest: digestOf(token),
    kind: "invitation",
    email: user.email,
    userId: null,
    accountId: user.accountId ?? null,
    role: user.accountId === undefined ? null : (user.role ?? "owner"),
    isOperator: user.isOperator === true,
    createdBy: null,
    createdAt: nowMs,
    expiresAt: nowMs + 60_000,
  });
  const userId = newId("usr");
  const name = user.email.split("@")[0] ?? user.email;
  const outcome = await store.useLink({
    digest: digestOf(token),
    userId,
    name,
    password: await passwordHash,
    nowMs,
  });
  if (outcome.kind !== "done") throw new Error(`no user ${user.email}: ${outcome.kind}`);
  const cookie = newSecret(randomBytes);
  const session = { id: newId("ses"), userId, csrf: newSecret(randomBytes) };
  await store.createSession({
    ...session,
    digest: digestOf(cookie),
    idleMs: lifeMs,
    ip: null,
    userAgent: null,
    createdAt: nowMs,
    rotatedAt: nowMs,
    seenAt: nowMs,
    expiresAt: nowMs + lifeMs,
  });
  const own = { cookie: `${sessionCookie}=${cookie}`, "x-plaza-csrf": session.csrf };
  return {
    ...senderWith(url, own),
    userId,
    email: user.email,
    sessionId: session.id,
    cookie: own.cookie,
    csrf: session.csrf,
  };
}

/** An empty catalog of models and prices, for tests without price proposals. */
const noModels = async (): Promise<ModelCatalog> => ({ findModel: () => undefined, listModels: () => [] });

async function serve(context: ControlContext) {
  const listener = createControlListener(context);
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    res.setHeader("x-request-id", `req_${requests}`);
    void listener(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A process that serves no calls, for the live view. */
function ownLive(clock: Clock): OwnLive {
  const readings = () => ({ inFlight: 0, streams: 0, loopLagMs: 0 });
  const sampler = createLiveSampler({ registry: createRegistry(), clock, readings });
  return {
    processId: () => "hld_console",
    sample: () => sampler.sample(),
    history: () => sampler.history(),
    interestLeftMs: () => 0,
  };
}

function everyByTimer(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

/** Differences from a default installation. */
export interface ConsoleOptions {
  readonly env?: Environment;
  readonly catalog?: Catalog;
  readonly modelCatalog?: () => Promise<ModelCatalog>;
  /** Without users, as after a first start. */
  readonly isBare?: boolean;
  /** Measured failures of a model; default none. */
  readonly measuredOf?: ControlContext["measuredOf"];
}

/** Starts it; it stops at the end of the test. */
export async function startConsole(
  test: Pick<TestContext, "after">,
  options: ConsoleOptions = {},
): Promise<ConsoleRig> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-console-"));
  const read = readConfig({ env: { ...options.env }, flags: { port: "0", dataDir: folder } });
  if (!read.ok) throw new Error(read.faults.join("\n"));
  const secretKey = Buffer.alloc(32, 7);
  const clock = movingClock();
  const file = join(folder, "plaza.sqlite");
  await createMigratedFile(file);
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey, clock });
  await store.applyCatalog(options.catalog ?? demoCatalog);
  const lines: string[] = [];
  const log = createLog({ level: "info", clock, write: (line) => void lines.push(line) });
  const context: ControlContext = {
    store,
    config: read.config,
    clock,
    log,
    repeats: new RepeatedRefusals({ store, clock, log }),
    newId: createIdFactory(clock),
    randomBytes,
    version: "0.0.0-test",
    secretKey: () => secretKey,
    createClient: nodeClients(read.config),
    identity: machineIdentity(clock),
    modelCatalog: options.modelCatalog ?? noModels,
    checkLedger: () => store.verifyLedger(),
    bodies: { holdBytes: () => undefined, freeBytes: () => {} },
    live: createLiveHub({ store, clock, own: ownLive(clock), every: everyByTimer }),
    endpointPort: () => 8080,
    measuredOf: (modelId) => options.measuredOf?.(modelId),
  };
  const { url, close } = await serve(context);
  test.after(async () => {
    await close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const [accountA, accountB] = ["acc_a", "acc_b"] as const;
  const people = new Map<ConsoleRole, SignedInSender>();
  if (options.isBare !== true) {
    await store.createAccount({ id: accountA, name: "Account A", balance: nanoUsd(5_000_000_000n) });
    await store.createAccount({ id: accountB, name: "Account B", balance: nanoUsd(5_000_000_000n) });
    people.set(
      "member",
      await signIn(context, url, { email: "member@a.test", accountId: accountA, role: "member" }),
    );
    people.set("owner", await signIn(context, url, { email: "owner@a.test", accountId: accountA }));
    people.set("stranger", await signIn(context, url, { email: "owner@b.test", accountId: accountB }));
    people.set("operator", await signIn(context, url, { email: "operator@plaza.test", isOperator: true }));
  }
  return {
    url,
    store,
    file,
    context,
    clock,
    log: lines,
    accountA,
    accountB,
    password,
    nobody: senderWith(url, {}),
    as(role) {
      const person = people.get(role);
      if (person === undefined) throw new Error(`there is no ${role} here`);
      return person;
    },
    async withToken(...scopes) {
      const { createOperatorToken } = await import("../../../server/src/control/auth/operator-token.ts");
      const { secret, visiblePrefix } = createOperatorToken(randomBytes);
      const id = context.newId("otk");
      const token = { id, name: "rig", visiblePrefix, digest: digestOf(secret), scopes };
      await store.createOperatorToken({
        ...token,
        createdBy: null,
        createdAt: clock.wallMs(),
        expiresAt: null,
      });
      return { ...senderWith(url, { authorization: `Bearer ${secret}` }), id };
    },
    newUser: (user) => signIn(context, url, user),
  };
}
