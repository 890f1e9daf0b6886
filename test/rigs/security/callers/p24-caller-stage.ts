/**
 * P24's stage of the data plane: a serving process with an upstream that answers every format, account A with
 * keys of every kind, another account, and what A has stored. Every lookup of the gateway in the store is
 * noted.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { createApiKey } from "../../../../server/src/domain/keys/api-key.ts";
import type { Store } from "../../../../server/src/store/store.ts";
import {
  modelOn,
  startApp,
  type TestAccount,
  type TestApp,
  upstreamAt,
} from "../../../behaviour/harness/app-in-process.ts";
import { type Answer, send } from "../../../behaviour/harness/caller.ts";
import { textCompletion } from "../../../behaviour/harness/completion-shapes.ts";
import { geminiResponse } from "../../../behaviour/harness/gemini-shapes.ts";
import { textBlock, wholeMessage } from "../../../behaviour/harness/messages-shapes.ts";
import { completion } from "../../../behaviour/harness/openai-shapes.ts";
import { messageItem, response } from "../../../behaviour/harness/responses-shapes.ts";
import { tokens, vectorsAnswer } from "../../../behaviour/harness/vector-shapes.ts";
import type { Random } from "../../harness/random.ts";
import type { CallerName } from "./p24-caller-table.ts";

/** Names of what an account owns; the same lengths for what nobody has. */
export interface Owned {
  readonly response: string;
  readonly item: string;
  readonly run: string;
  readonly container: string;
  readonly request: string;
  /** What the model said. */
  readonly words: string;
}

/** A request of the data plane. */
export interface CallerAsk {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What refused calls must leave as it was. */
export interface Standing {
  readonly upstreamCalls: number;
  /** Balances of all accounts, and ids of all stored responses. */
  readonly stored: string;
}

export interface CallerStage {
  readonly app: TestApp;
  readonly keys: Readonly<Record<CallerName, string>>;
  readonly accountA: TestAccount;
  readonly stranger: TestAccount;
  /** A key of A that may ask for the model `falling` alone, which `open` answers for. */
  readonly half: string;
  /** Sends with a key where one of the clients' habits puts it; empty: without one. */
  send(ask: CallerAsk, key: string): Promise<Answer>;
  /** Makes the owner call, and store what it got. */
  own(): Promise<Owned>;
  standing(): Promise<Standing>;
  /** Charged so far. */
  balanceOf(accountId: string): Promise<bigint>;
  /** Runs one step and returns the names of the lookups it made, in order. */
  lookupsOf<T>(step: () => Promise<T>): Promise<{ readonly value: T; readonly lookups: readonly string[] }>;
  stop(): Promise<void>;
}

const lookups: ReadonlySet<string> = new Set([
  "findKeyByDigest",
  "findRequest",
  "findResponse",
  "findResponseChain",
  "findResponsesOfItems",
  "deleteResponse",
  "claimIdempotencyKey",
] satisfies (keyof Store)[]);

/** Notes each lookup before it is made. */
const noting = (store: Store, noted: string[]): Store =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (lookups.has(String(name))) noted.push(String(name));
        return value.apply(target, given);
      };
    },
  });

const numbered = (prefix: string, count: number): string => `${prefix}_${String(count).padStart(8, "0")}`;

/** What the upstream's n-th response is called. */
const ownedAt = (count: number): Omit<Owned, "request"> => ({
  response: numbered("resp", count),
  item: numbered("msg", count),
  run: numbered("ci", count),
  container: numbered("cntr", count),
  words: numbered("Private", count),
});

/** What nobody owns, spelled like what this caller does. */
export const unownedLike = ({ request }: Owned): Owned => ({
  ...ownedAt(99_999_999),
  request: request.slice(0, -8) + "0".repeat(8),
});

function storedAnswer(count: number): object {
  const { response: id, item, run, container, words } = ownedAt(count);
  const ran = {
    id: run,
    type: "code_interpreter_call",
    status: "completed",
    code: "1",
    container_id: container,
    outputs: [],
  };
  return response([ran, messageItem(words, item)], { id });
}

/** What an upstream answers at each ending of a path. */
const answers: readonly (readonly [ending: RegExp, answer: (count: number) => object])[] = [
  [/\/responses\/input_tokens$/, () => ({ object: "response.input_tokens", input_tokens: 9 })],
  [/\/responses$/, storedAnswer],
  [/\/chat\/completions$/, () => completion({ message: { content: "ok" } })],
  [/\/completions$/, () => textCompletion("ok")],
  [/\/embeddings$/, () => vectorsAnswer(1, { usage: tokens(5) })],
  [/\/messages\/count_tokens$/, () => ({ input_tokens: 9 })],
  [/\/messages$/, () => wholeMessage([textBlock("ok")])],
  [/:countTokens$/, () => ({ totalTokens: 9 })],
  [/[gG]enerateContent/, () => geminiResponse([{ text: "ok" }], "STOP")],
];

async function startUpstream() {
  let calls = 0;
  const server = createServer(async (req, res) => {
    for await (const _ of req);
    calls += 1;
    const path = req.url ?? "";
    const found = answers.find(([ending]) => ending.test(path));
    if (found === undefined || path.startsWith("/down/")) {
      res.writeHead(500, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body = JSON.stringify(found[1](calls));
    const isStream = path.includes(":stream");
    res.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    res.end(isStream ? `data: ${body}\n\n` : body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async stop() {
      server.close().closeAllConnections();
    },
  };
}

function catalogAt(origin: string): Catalog {
  const all = { operations: ["chat", "completion", "embeddings"] as const };
  const speaking = (id: string) => {
    const model = modelOn(id, ["open"], all);
    const formats = ["openai-responses"] as const;
    return { ...model, deployments: model.deployments.map((one) => ({ ...one, formats })) };
  };
  return {
    upstreams: [
      upstreamAt("open", `${origin}/v1`, { options: { allowUnpriced: "tools" } }),
      upstreamAt("claude", `${origin}/v1`, {
        provider: "anthropic",
        options: { allowUnpriced: "container,tools" },
      }),
      upstreamAt("google", `${origin}/v1beta`, { provider: "google" }),
      upstreamAt("down", `${origin}/down/v1`),
    ],
    models: [
      speaking("open"),
      speaking("other"),
      modelOn("claude", ["claude"]),
      modelOn("google", ["google"]),
      modelOn("falling", ["down"], { fallbacks: ["open"] }),
    ],
    limits: {},
  };
}

/** At these paths Google's header for the key asks for Gemini's list and errors. */
const asksForModels = /^\/(?:v1|openai|openai\/v1|v1beta\/openai)\/models(?:\/|$)/;

/** Where clients write a key, besides `?key=` below `/v1beta/`. */
const keyHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"] as const;

function withKey({ path, headers = {} }: CallerAsk, key: string, random: Random) {
  const own = { "content-type": "application/json", ...headers };
  if (key === "") return { path, headers: own };
  const place = random.pick(path.startsWith("/v1beta/") ? [...keyHeaders, "key"] : keyHeaders);
  // Google's clients are known by their header, and get lists of models in Google's format.
  const name = asksForModels.test(path) && place === "x-goog-api-key" ? "authorization" : place;
  if (name === "key") return { path: `${path}${path.includes("?") ? "&" : "?"}key=${key}`, headers: own };
  return { path, headers: { ...own, [name]: name === "authorization" ? `Bearer ${key}` : key } };
}

async function openKeys(app: TestApp) {
  const accountA = await app.newAccount("100");
  const stranger = await app.newAccount("100");
  const [suspended, closed] = [await app.newAccount("100"), await app.newAccount("100")];
  await app.store.setAccountStatus(suspended.accountId, "suspended");
  await app.store.setAccountStatus(closed.accountId, "closed");
  const made = async (more: Parameters<TestApp["newKey"]>[1], status?: "revoked" | "disabled") => {
    const key = await app.newKey(accountA, more);
    if (status !== undefined) await app.store.setKeyStatus(key.keyId, status);
    return key.key;
  };
  const keys: Record<CallerName, string> = {
    nobody: "",
    malformed: "sk-plaza-short",
    unknown: createApiKey(randomBytes).secret,
    revoked: await made({}, "revoked"),
    disabled: await made({}, "disabled"),
    expired: await made({ expiresAt: 1 }),
    elsewhere: await made({ ips: ["203.0.113.0/24"] }),
    suspended: suspended.key,
    closed: closed.key,
    narrow: await made({ models: ["other"] }),
    stranger: stranger.key,
    spare: await made({}),
    owner: accountA.key,
  };
  return { accountA, stranger, keys, half: await made({ models: ["falling"] }) };
}

export async function setCallerStage(random: Random): Promise<CallerStage> {
  const upstream = await startUpstream();
  const noted: string[] = [];
  const app = await startApp({
    catalog: catalogAt(upstream.origin),
    env: { PLAZA_REFUSED_CALLS_PER_MINUTE: "1000000" },
    before: (store) => noting(store, noted),
  });
  const db = new DatabaseSync(app.file, { readOnly: true });
  const { accountA, stranger, keys, half } = await openKeys(app);

  const ask = (asked: CallerAsk, key: string): Promise<Answer> =>
    send(app.origin, {
      method: asked.method,
      ...withKey(asked, key, random),
      body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
    });

  return {
    app,
    keys,
    accountA,
    stranger,
    half,
    send: ask,
    async own() {
      const body = {
        model: "open",
        input: "hi",
        tools: [{ type: "code_interpreter", container: { type: "auto" } }],
      };
      const answer = await ask({ method: "POST", path: "/v1/responses", body }, keys.owner);
      const { id = "" } = JSON.parse(answer.text) as { id?: string };
      const count = Number(/^resp_(\d+)$/.exec(id)?.[1]);
      if (answer.status !== 200 || !Number.isInteger(count))
        throw new Error(`nothing stored: ${answer.text}`);
      return { ...ownedAt(count), request: String(answer.headers["x-request-id"]) };
    },
    async standing() {
      const accounts = await app.store.listAccounts();
      const balances = accounts.map(({ id, balance }) => `${id} ${balance}`);
      const kept = db.prepare("select * from stored_responses").all().length;
      return { upstreamCalls: upstream.calls(), stored: `${balances.join(", ")}; ${kept} responses` };
    },
    async balanceOf(accountId) {
      return (await app.store.findAccount(accountId))?.balance ?? 0n;
    },
    async lookupsOf(step) {
      noted.length = 0;
      const value = await step();
      return { value, lookups: [...noted] };
    },
    async stop() {
      db.close();
      await app.stop();
      await upstream.stop();
    },
  };
}
