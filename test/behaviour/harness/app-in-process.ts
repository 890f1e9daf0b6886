/**
 * A serving process inside the test's process, with its own SQLite file and access to its store, for tests
 * that check money or replace parts between gateway and store.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Catalog,
  defaultTimeouts,
  type Model,
  type Price,
  type Upstream,
} from "@plaza/contract/catalog.ts";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { createApp } from "../../../server/src/app.ts";
import { type Environment, readConfig } from "../../../server/src/config/config.ts";
import { createApiKey, digestApiKey } from "../../../server/src/domain/keys/api-key.ts";
import { createLog } from "../../../server/src/lib/telemetry/log.ts";
import { type Clock, systemClock } from "../../../server/src/lib/time/clock.ts";
import type { ApiKey, NewApiKey } from "../../../server/src/store/accounts/key-shapes.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import type { StoredRequest } from "../../../server/src/store/requests/shapes.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { createMigratedFile } from "../../../server/src/store/testing/migrated-file.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";

export interface TestAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface TestApp {
  readonly origin: string;
  readonly chatUrl: string;
  readonly file: string;
  /** The store itself, without any wrapper. */
  readonly store: Store;
  /** Log lines so far. */
  readonly log: readonly string[];
  newAccount(balance: string, budget?: ApiKey["budget"]): Promise<TestAccount>;
  /** Creates another key of an account; unset limits are unlimited. */
  newKey(of: TestAccount, more: Partial<NewApiKey>): Promise<TestAccount>;
  /** The newest row of an account, once it has this many. */
  newestRow(accountId: string, count: number): Promise<StoredRequest>;
  /** Resolves when the gateway has closed every caller's connection. */
  callersGone(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestAppOptions {
  readonly catalog: Catalog;
  readonly env?: Environment;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Replaces the gateway's store. */
  readonly before?: (store: Store) => Store;
}

export function upstreamAt(id: string, baseUrl: string, more: Partial<Upstream> = {}): Upstream {
  return { id, provider: "openai", baseUrl, credentials: ["sk-up"], timeouts: defaultTimeouts, ...more };
}

/** A model priced at 1 USD per million input tokens and 2 for output, unless another price is given. */
export function modelOn(id: string, upstreams: readonly string[], more: Partial<Model> = {}): Model {
  const price: Price = { input: parseUsd("1"), output: parseUsd("2") };
  const deployments = upstreams.map((upstream, index) => ({
    upstream,
    model: "upstream-model",
    priority: index + 1,
    weight: 1,
  }));
  return { id, name: id, maxOutput: 1_000, price, deployments, ...more };
}

/** Processes get the whole environment; an application in this process gets the transport of the run. */
const transport = (): Environment => {
  const chosen = process.env["PLAZA_TRANSPORT"];
  return chosen === undefined ? {} : { PLAZA_TRANSPORT: chosen };
};

export async function startApp(options: TestAppOptions): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-app-"));
  const { clock = systemClock } = options;
  const read = readConfig({ env: { ...transport(), ...options.env }, flags: { port: "0", dataDir: folder } });
  if (!read.ok) throw new Error(read.faults.join("\n"));
  const file = join(folder, "plaza.sqlite");
  await createMigratedFile(file);
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file },
    secretKey: Buffer.alloc(32, 7),
    clock,
  });
  await store.applyCatalog(options.catalog);
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const app = await createApp({
    config: read.config,
    store: options.before?.(store) ?? store,
    clock,
    log: createLog({ level: "info", clock, write }),
    random: Math.random,
  });
  const origin = `http://127.0.0.1:${(await app.listen()).endpoint}`;
  let accounts = 0;
  let keys = 0;

  async function newKey(accountId: string, more: Partial<NewApiKey>): Promise<TestAccount> {
    keys += 1;
    const { secret, visiblePrefix } = createApiKey(randomBytes);
    const keyId = `key_${keys}`;
    const open = { models: null, requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
    const key = { id: keyId, accountId, name: "tests", visiblePrefix, digest: digestApiKey(secret) };
    await store.createKey({ ...key, ...open, budget: null, expiresAt: null, ...more });
    return { accountId, keyId, key: secret };
  }

  return {
    origin,
    chatUrl: `${origin}/v1/chat/completions`,
    file,
    store,
    log: lines,
    async newAccount(balance, budget = null) {
      accounts += 1;
      const accountId = `acc_${accounts}`;
      await store.createAccount({ id: accountId, name: accountId, balance: nanoUsd(0n) });
      if (balance !== "0") await store.addEntry({ accountId, kind: "topup", amount: parseUsd(balance) });
      return await newKey(accountId, { budget });
    },
    newKey: ({ accountId }, more) => newKey(accountId, more),
    async newestRow(accountId, count) {
      let rows: StoredRequest[] = [];
      await eventually(async () => {
        rows = await store.listRequests({ accountId, limit: 1_000 });
        return rows.length >= count;
      }, 10_000);
      const [newest] = rows;
      if (newest === undefined || rows.length !== count) throw new Error(`${rows.length} rows, not ${count}`);
      return newest;
    },
    async callersGone() {
      const count = () => new Promise<number>((resolve) => app.server.getConnections((_, n) => resolve(n)));
      if (!(await eventually(async () => (await count()) === 0, 10_000, 5))) throw new Error("callers stay");
      await new Promise((resolve) => setImmediate(resolve));
    },
    async stop() {
      await app.drain();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
