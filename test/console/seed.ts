/**
 * Fills a new data folder with an installation that has been in use for a month, for looking at the console and for its walks:
 * accounts, users of every role, keys, models, requests with charges, ledger entries. Everything is made up by a seeded generator
 * and written through the product's own store, so that every sum is right.
 *
 *   node test/console/seed.ts --data DIR [--requests 3000] [--seed 1]
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Catalog, defaultTimeouts, type Model, type Price } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { createLink, ensureSetupLink } from "../../server/src/control/auth/links.ts";
import { hashPassword } from "../../server/src/control/auth/passwords.ts";
import { digestOf } from "../../server/src/control/auth/secret-text.ts";
import { createApiKey, digestApiKey } from "../../server/src/domain/api-key.ts";
import { chargeFor } from "../../server/src/domain/price.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { loadOrCreateKeyFile } from "../../server/src/lib/secret.ts";
import { openStoreInProcess } from "../../server/src/store/open.ts";
import type { RequestRow, Store } from "../../server/src/store/store.ts";
import { type Random, seededRandom } from "../rigs/harness/random.ts";

const dayMs = 86_400_000;

interface SeededKey {
  readonly id: string;
  readonly accountId: string;
  /** Share of its account's traffic. */
  readonly weight: number;
}

/** Everybody's password. */
export const seededPassword = "correct horse battery";

/** Who there is: the operator, who owns the first account, its member, and the owners of the two others. */
export const seededUsers = {
  operator: "operator@example.com",
  member: "member@example.com",
  quiet: "quiet@example.com",
  broke: "broke@example.com",
} as const;

/** What was made; secrets of keys by name. */
export interface Seeded {
  readonly accounts: readonly string[];
  readonly keys: Readonly<Record<string, string>>;
}

const price = (input: string, output: string, cachedInput?: string): Price => ({
  input: parseUsd(input),
  output: parseUsd(output),
  ...(cachedInput === undefined ? {} : { cachedInput: parseUsd(cachedInput) }),
});

const text = { input: ["text"], output: ["text"] };
const seeing = { input: ["text", "image"], output: ["text"] };

/** Names and numbers are invented: no vendor's model is meant. */
const models: readonly (Partial<Model> & Pick<Model, "id" | "name">)[] = [
  {
    id: "aurora-large",
    name: "Aurora Large",
    context: 400_000,
    maxOutput: 128_000,
    modalities: seeing,
    price: price("1.25", "10.00", "0.125"),
  },
  {
    id: "aurora-mini",
    name: "Aurora Mini",
    context: 400_000,
    maxOutput: 128_000,
    modalities: seeing,
    price: price("0.25", "2.00", "0.025"),
  },
  {
    id: "aurora-nano",
    name: "Aurora Nano",
    context: 128_000,
    maxOutput: 32_000,
    modalities: text,
    price: price("0.05", "0.40", "0.005"),
  },
  {
    id: "cirrus/cirrus-4-opus",
    name: "Cirrus 4 Opus",
    context: 200_000,
    maxOutput: 32_000,
    modalities: seeing,
    price: price("15.00", "75.00", "1.50"),
  },
  {
    id: "cirrus/cirrus-4-sonnet",
    name: "Cirrus 4 Sonnet",
    context: 1_000_000,
    maxOutput: 64_000,
    modalities: seeing,
    price: {
      ...price("3.00", "15.00", "0.30"),
      tiers: [{ abovePromptTokens: 200_000, ...price("6.00", "22.50", "0.60") }],
    },
  },
  {
    id: "halo-2.5-pro",
    name: "Halo 2.5 Pro",
    context: 1_048_576,
    maxOutput: 65_536,
    modalities: { input: ["text", "image", "audio", "video"], output: ["text"] },
    price: price("1.25", "10.00", "0.31"),
  },
  {
    id: "halo-2.5-flash",
    name: "Halo 2.5 Flash",
    context: 1_048_576,
    maxOutput: 65_536,
    modalities: seeing,
    price: price("0.30", "2.50", "0.075"),
  },
  {
    id: "deep-v3",
    name: "Deep V3",
    context: 64_000,
    maxOutput: 8_000,
    modalities: text,
    price: price("0.27", "1.10", "0.07"),
  },
  {
    id: "qilin-72b",
    name: "麒麟 72B",
    context: 131_072,
    maxOutput: 8_192,
    modalities: text,
    price: price("0.35", "0.40"),
  },
  {
    id: "open-8b",
    name: "Open 8B",
    description: "Runs on this machine.",
    context: 32_768,
    maxOutput: 4_096,
    modalities: text,
    price: price("0", "0"),
  },
  { id: "tomorrow-1", name: "Tomorrow 1", description: "Listed, and waits for its price." },
];

/** Makers and abilities, invented like the rest; unknown for some. */
function factsOf(id: string): Partial<Model> {
  const maker = { aurora: "Aurora Labs", cirrus: "Cirrus", halo: "Halo", deep: "Deep", qilin: "麒麟" }[
    /^[a-z]+/.exec(id)?.[0] ?? ""
  ];
  if (maker === undefined) return {};
  const reasons = /large|opus|sonnet|pro/.test(id);
  return { family: maker, capabilities: ["tools", "json", ...(reasons ? (["reasoning"] as const) : [])] };
}

function catalogOf(upstreamUrl: string): Catalog {
  return {
    upstreams: [
      {
        id: "main",
        provider: "openai",
        baseUrl: upstreamUrl,
        credentials: ["sk-seeded-1", "sk-seeded-2"],
        timeouts: defaultTimeouts,
      },
      { id: "demo", provider: "demo", baseUrl: "", credentials: [], timeouts: defaultTimeouts },
    ],
    models: [
      ...models.map((model) => ({
        ...factsOf(model.id),
        ...model,
        deployments: [{ upstream: "main", model: `up-${model.id}`, priority: 1, weight: 1 }],
      })),
      {
        id: "demo",
        name: "Demo (not a language model)",
        description: "Answers from your prompt without any model.",
        context: 128_000,
        maxOutput: 4_096,
        modalities: { input: ["text", "image", "audio", "file"], output: ["text"] },
        price: price("0.10", "0.20"),
        deployments: [{ upstream: "demo", model: "demo", priority: 1, weight: 1 }],
      },
    ],
    limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000, concurrency: 100 },
  };
}

async function newKey(
  store: Store,
  accountId: string,
  name: string,
  more: object = {},
): Promise<{ id: string; secret: string }> {
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  const id = createIdFactory(systemClock)("key");
  await store.createKey({
    id,
    accountId,
    name,
    visiblePrefix,
    digest: digestApiKey(secret),
    models: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrency: null,
    budget: null,
    expiresAt: null,
    ...more,
  });
  return { id, secret };
}

/** Busier by day than by night, busier lately than a month ago. */
function momentOf(random: Random, nowMs: number): number {
  const age = (1 - Math.sqrt(random.next())) * 30 * dayMs;
  const at = nowMs - age;
  const hour = new Date(at).getUTCHours();
  const shift = hour < 6 && random.next() < 0.7 ? 8 * 3_600_000 : 0;
  return Math.min(nowMs - 1_000, Math.round(at + shift));
}

const skewed = (random: Random, most: number): number => Math.round(random.next() ** 3 * most);

type Ending = Pick<RequestRow, "state" | "status" | "errorCode">;

function endingOf(random: Random): Ending {
  const roll = random.next();
  if (roll < 0.95) return { state: "complete", status: 200, errorCode: null };
  if (roll < 0.965) return { state: "aborted", status: 200, errorCode: null };
  if (roll < 0.972) return { state: "incomplete", status: 200, errorCode: "upstream_error" };
  if (roll < 0.985) return { state: "failed", status: 429, errorCode: "rate_limit_exceeded" };
  return { state: "failed", status: 502, errorCode: "upstream_error" };
}

function rowOf(random: Random, key: SeededKey, model: Model, at: number, id: string): RequestRow {
  const ending = endingOf(random);
  const isCharged = ending.state !== "failed";
  const prompt = isCharged ? 20 + skewed(random, 12_000) : 0;
  const cached = random.next() < 0.3 ? Math.floor(prompt * 0.6) : 0;
  const output = isCharged ? 5 + skewed(random, 2_500) : 0;
  const usage = {
    input: prompt - cached,
    cachedInput: cached,
    cacheWrite: 0,
    output,
    reasoning: Math.floor(output * 0.2),
  };
  const charge = isCharged && model.price !== undefined ? chargeFor(usage, model.price) : nanoUsd(0n);
  const firstTokenMs = isCharged ? 180 + skewed(random, 3_000) : null;
  return {
    id,
    createdAt: at,
    accountId: key.accountId,
    keyId: key.id,
    modelId: model.id,
    upstreamId: ending.status === 429 ? null : "main",
    upstreamModel: ending.status === 429 ? null : `up-${model.id}`,
    isStream: random.next() < 0.8,
    ...ending,
    attempts: ending.status === 429 ? 0 : 1,
    inputTokens: usage.input,
    cachedInputTokens: usage.cachedInput,
    cacheWriteTokens: 0,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    usageSource: !isCharged ? "none" : ending.state === "complete" ? "exact" : "estimated",
    usageParts: null,
    firstTokenMs,
    durationMs: (firstTokenMs ?? 40) + output * 9,
    charge,
    cost: null,
    priceId: isCharged ? (model.priceRows?.[0]?.id ?? null) : null,
    attemptLog: null,
  };
}

function drawKey(random: Random, keys: readonly SeededKey[]): SeededKey {
  let roll = random.next() * keys.reduce((sum, { weight }) => sum + weight, 0);
  for (const key of keys) {
    roll -= key.weight;
    if (roll <= 0) return key;
  }
  return keys[0] as SeededKey;
}

async function addRequests(
  store: Store,
  keys: readonly SeededKey[],
  random: Random,
  count: number,
): Promise<void> {
  const catalog = await store.loadCatalog();
  const served = (catalog?.models ?? []).filter((model) => model.price !== undefined && model.id !== "demo");
  const nowMs = Date.now();
  const moments = Array.from({ length: count }, () => momentOf(random, nowMs)).sort((a, b) => a - b);
  const pending: Promise<void>[] = [];
  for (const at of moments) {
    const key = drawKey(random, keys);
    const model = served[Math.floor(random.next() ** 1.7 * served.length)] as Model;
    const newId = createIdFactory({ wallMs: () => at, elapsedMs: () => 0 });
    pending.push(store.recordRequest(rowOf(random, key, model, at, newId("req"))));
    if (pending.length >= 500) await Promise.all(pending.splice(0));
  }
  await Promise.all(pending);
}

/** People come as they do in life: by links. */
async function addPeople(
  store: Store,
  accounts: { acme: string; quiet: string; broke: string },
): Promise<void> {
  const making = { store, clock: systemClock, randomBytes, newId: createIdFactory(systemClock) };
  const password = await hashPassword(seededPassword);
  const use = (token: string, name: string, email?: string) =>
    store.useLink({
      digest: digestOf(token),
      userId: making.newId("usr"),
      email,
      name,
      password,
      nowMs: Date.now(),
    });
  const invite = async (email: string, accountId: string, role: "owner" | "member", name: string) => {
    const { token } = await createLink(making, "invitation", { email, accountId, role });
    await use(token, name);
  };
  const setup = await ensureSetupLink(making);
  if (setup === undefined) throw new Error("the folder has an operator already: seed a new one");
  await use(setup, "Olga Operator", seededUsers.operator);
  await invite(seededUsers.member, accounts.acme, "member", "Mira Member");
  await invite(seededUsers.quiet, accounts.quiet, "owner", "Quentin Quiet");
  await invite(seededUsers.broke, accounts.broke, "owner", "布洛克");
}

async function addAccount(store: Store, name: string, balance: NanoUsd): Promise<string> {
  const id = createIdFactory(systemClock)("acc");
  await store.createAccount({ id, name, balance });
  return id;
}

/** Fills the folder's database. */
export async function seed(options: {
  data: string;
  requests?: number;
  seed?: number;
  upstreamUrl?: string;
}): Promise<Seeded> {
  const { data, requests = 3_000, seed: seedNumber = 1, upstreamUrl = "http://127.0.0.1:9000/v1" } = options;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: join(data, "plaza.sqlite") },
    secretKey: loadOrCreateKeyFile(join(data, "secret.key")),
  });
  const random = seededRandom(seedNumber);
  try {
    await store.migrate();
    await store.applyCatalog(catalogOf(upstreamUrl));
    const acme = await addAccount(store, "Acme Research", parseUsd("250"));
    const quiet = await addAccount(store, "Quiet GmbH", parseUsd("40"));
    const broke = await addAccount(store, "几乎用完 (almost spent)", parseUsd("0.002"));
    await addPeople(store, { acme, quiet, broke });
    const chat = await newKey(store, acme, "chat frontend");
    const batch = await newKey(store, acme, "nightly batch", {
      budget: { amount: parseUsd("20"), period: "month" },
      requestsPerMinute: 120,
    });
    const laptop = await newKey(store, acme, "ana's laptop", { models: ["aurora-mini", "aurora-nano"] });
    const other = await newKey(store, quiet, "production");
    const poor = await newKey(store, broke, "trial");
    const keys = [
      { id: chat.id, accountId: acme, weight: 6 },
      { id: batch.id, accountId: acme, weight: 3 },
      { id: laptop.id, accountId: acme, weight: 1 },
      { id: other.id, accountId: quiet, weight: 2 },
    ];
    await addRequests(store, keys, random, requests);
    await store.addEntry({
      accountId: acme,
      kind: "topup",
      amount: parseUsd("100"),
      note: "invoice 2026-118",
      reference: "inv-118",
    });
    await store.addEntry({
      accountId: acme,
      kind: "adjustment",
      amount: nanoUsd(-parseUsd("1.5")),
      note: "double top-up of October",
    });
    return {
      accounts: [acme, quiet, broke],
      keys: { "chat frontend": chat.secret, production: other.secret, trial: poor.secret },
    };
  } finally {
    await store.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      requests: { type: "string" },
      seed: { type: "string" },
      upstream: { type: "string" },
    },
  });
  if (values.data === undefined)
    throw new Error("usage: node test/console/seed.ts --data DIR [--requests N] [--seed N]");
  const made = await seed({
    data: values.data,
    requests: Number(values.requests ?? 3_000),
    seed: Number(values.seed ?? 1),
    ...(values.upstream === undefined ? {} : { upstreamUrl: values.upstream }),
  });
  const people = { users: Object.values(seededUsers), password: seededPassword };
  process.stdout.write(`${JSON.stringify({ ...made, ...people }, null, 2)}\n`);
}
