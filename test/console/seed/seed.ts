/**
 * Fills a new data folder with an installation after a month of use, for viewing and testing the console:
 * accounts, users of every role, keys, models, requests with charges, ledger entries. Everything is generated
 * from a seed and written through the product's store, so that all sums are consistent.
 *
 * node test/console/seed/seed.ts --data DIR [--requests 3000] [--seed 1]
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type NanoUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { createLink, ensureSetupLink } from "../../../server/src/control/auth/links.ts";
import { hashPassword } from "../../../server/src/control/auth/passwords.ts";
import { digestOf } from "../../../server/src/control/auth/secret-text.ts";
import { createApiKey, digestApiKey } from "../../../server/src/domain/keys/api-key.ts";
import {
  createRedemptionCode,
  digestRedemptionCode,
  readRedemptionCode,
} from "../../../server/src/domain/keys/redemption-code.ts";
import { createIdFactory } from "../../../server/src/lib/id.ts";
import { loadOrCreateKeyFile } from "../../../server/src/lib/secret.ts";
import { systemClock } from "../../../server/src/lib/time/clock.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { seededRandom } from "../../rigs/harness/random.ts";
import { shelfModels } from "../seed-shelf.ts";
import { catalogOf } from "./catalog.ts";
import { addRequests } from "./requests.ts";

/** The password of all seeded users. */
export const seededPassword = "correct horse battery";

/** The users: the operator, who owns the first account, its member, and the owners of the two others. */
export const seededUsers = {
  operator: "operator@example.com",
  member: "member@example.com",
  quiet: "quiet@example.com",
  broke: "broke@example.com",
} as const;

/** The created items; secrets of keys by name. */
export interface Seeded {
  readonly accounts: readonly string[];
  readonly keys: Readonly<Record<string, string>>;
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

/** Users join by invite links, as in production. */
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

/** Codes for a workshop, one of which the account has redeemed. */
async function addCodes(store: Store, accountId: string): Promise<void> {
  const codes = Array.from({ length: 5 }, () => createRedemptionCode(randomBytes)).map(
    ({ text, visibleEnd }) => ({ digest: digestRedemptionCode(readRedemptionCode(text) ?? ""), visibleEnd }),
  );
  await store.createCodes({
    id: createIdFactory(systemClock)("cod"),
    note: "workshop in Lyon",
    amount: parseUsd("10"),
    expiresAt: Date.now() + 60 * 86_400_000,
    createdBy: null,
    codes,
  });
  await store.redeemCode({ digest: codes[0]?.digest ?? "", accountId, userId: null });
}

/** Fills the folder's database. */
export async function seed(options: {
  data: string;
  requests?: number;
  seed?: number;
  upstreamUrl?: string;
  /** Models of the shipped catalog beside the invented ones. */
  moreModels?: number;
}): Promise<Seeded> {
  const { data, requests = 3_000, seed: seedNumber = 1, upstreamUrl = "http://127.0.0.1:9000/v1" } = options;
  const { moreModels = 0 } = options;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: join(data, "plaza.sqlite") },
    secretKey: loadOrCreateKeyFile(join(data, "secret.key")),
  });
  const random = seededRandom(seedNumber);
  try {
    await store.migrate();
    const catalog = catalogOf(upstreamUrl);
    await store.applyCatalog({ ...catalog, models: [...catalog.models, ...shelfModels(moreModels)] });
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
    await addCodes(store, quiet);
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
    throw new Error("usage: node test/console/seed/seed.ts --data DIR [--requests N] [--seed N]");
  const made = await seed({
    data: values.data,
    requests: Number(values.requests ?? 3_000),
    seed: Number(values.seed ?? 1),
    ...(values.upstream === undefined ? {} : { upstreamUrl: values.upstream }),
  });
  const people = { users: Object.values(seededUsers), password: seededPassword };
  process.stdout.write(`${JSON.stringify({ ...made, ...people }, null, 2)}\n`);
}
