/**
 * Creates what a first start needs to work without key, config or network: a demo catalog, an account with a
 * demo balance, and one key. Also applies the catalog file at every start and watches it while serving.
 */

import { randomBytes } from "node:crypto";
import { type BigIntStats, readFileSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { message, textOf } from "@plaza/contract/messages/message.ts";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { type Config, secretKeyFile } from "../config/config.ts";
import { createApiKey, digestApiKey } from "../domain/keys/api-key.ts";
import { createIdFactory } from "../lib/id.ts";
import { loadOrCreateKeyFile } from "../lib/secret.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import { demoModels } from "../providers/index.ts";
import type { CatalogDifference } from "../store/catalog/shapes.ts";
import { StoreError } from "../store/error.ts";
import type { Store } from "../store/store.ts";
import { type ReadCatalog, readCatalogInProcess } from "./catalog-process.ts";
import { openSealedCredentials } from "./sealed-credentials.ts";

/** Facts for the startup banner. */
export interface FirstRun {
  /** Secret of the first key; only on the start that created it. */
  readonly secret: string | undefined;
  readonly accountId: string | undefined;
  /** A model to try; undefined = none. */
  readonly modelId: string | undefined;
  readonly models: number;
  /** True when only demo models are served. */
  readonly isDemoOnly: boolean;
}

const demoBalance = parseUsd("5");

/** Fields shared by the demo models. */
const demoFacts = {
  source: "demo",
  description: textOf(message("provider.demo")),
  price: { input: nanoUsd(0n), output: nanoUsd(0n) },
  deployments: [{ upstream: "demo", model: "demo", priority: 1, weight: 1 }],
} as const;

/** Default catalog: free models that are clearly not language models. */
const demoCatalog: Catalog = {
  upstreams: [
    { id: "demo", provider: "demo", baseUrl: "", credentials: [], timeouts: defaultTimeouts, source: "demo" },
  ],
  models: [
    {
      ...demoFacts,
      id: "demo",
      name: "Demo (not a language model)",
      context: 128_000,
      maxOutput: 4_096,
      modalities: { input: ["text", "image", "audio", "file"], output: ["text"] },
    },
    ...demoModels.map(({ operation, servedAs, ...model }) => ({
      ...demoFacts,
      ...model,
      operations: [operation],
      deployments: [{ upstream: "demo", model: servedAs, priority: 1, weight: 1 }],
    })),
  ],
  limits: {},
};

interface FirstRunOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: a process is started for each reading. */
  readonly readCatalog?: ReadCatalog | undefined;
}

/**
 * Applies the catalog file, or the demo catalog to an empty store. Creates the first account and key if there
 * is none.
 */
export async function firstRun(options: FirstRunOptions): Promise<FirstRun> {
  const { config, store, clock } = options;
  if (config.catalog !== undefined) await applyCatalogFile(config.catalog, options);
  else if ((await store.loadCatalog()) === undefined) await store.applyCatalog(demoCatalog);
  const { models, upstreams } = (await store.loadCatalog()) ?? demoCatalog;
  const known = {
    modelId: models.find(({ price, isDisabled }) => price !== undefined && isDisabled !== true)?.id,
    models: models.length,
    isDemoOnly: upstreams.every(({ provider }) => provider === "demo"),
  };
  if ((await store.listAccounts()).length > 0) return { ...known, secret: undefined, accountId: undefined };
  const newId = createIdFactory(clock);
  const account = await store.createAccount({ id: newId("acc"), name: "first", balance: demoBalance });
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  await store.createKey({
    id: newId("key"),
    accountId: account.id,
    name: "first",
    visiblePrefix,
    digest: digestApiKey(secret),
    models: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrency: null,
    budget: null,
    expiresAt: null,
  });
  return { ...known, secret, accountId: account.id };
}

/** Reads, validates and stores a catalog file. Throws an Error that lists all faults. */
async function applyCatalogFile(file: string, options: FirstRunOptions): Promise<void> {
  const { config, store, clock, log, readCatalog = readCatalogInProcess } = options;
  const text = readFileSync(file, "utf8");
  const result = await readCatalog({ text, fileName: file });
  if (!result.ok) throw new Error(result.faults.join("\n"));
  for (const warning of result.warnings) log.warn("catalog_warning", { warning });
  const left = Object.keys(result.configuration).join(", ");
  if (left !== "") log.warn("catalog_warning", { warning: `${file}: only plaza apply applies ${left}` });
  const catalog = openSealedCredentials(
    result.catalog,
    () => config.secretKey ?? loadOrCreateKeyFile(secretKeyFile(config)),
  );
  const apply = () => store.applyCatalog(catalog);
  // Most starts change nothing and need no audit entry.
  const isChange = changesAnything(await store.compareCatalog(catalog));
  const difference = isChange ? await audited({ store, clock, log }, file, apply) : await apply();
  if (changesAnything(difference)) log.info("catalog_applied", { file, ...countsOf(difference) });
}

const countsOf = ({ added, changed, removed }: CatalogDifference) => ({
  added: added.length,
  changed: changed.length,
  removed: removed.length,
});

const changesAnything = ({ added, changed, removed }: CatalogDifference): boolean =>
  added.length + changed.length + removed.length > 0;

/**
 * Applies the file with an audit entry before and after. If two processes do this at once, one of them
 * changes something and keeps its entry.
 */
async function audited(
  { store, clock, log }: Omit<FirstRunOptions, "config">,
  file: string,
  apply: () => Promise<CatalogDifference>,
): Promise<CatalogDifference> {
  const entry = await store.beginAudit({
    at: clock.wallMs(),
    actorKind: "cli",
    actorId: null,
    actorName: "catalog file",
    accountId: null,
    action: "apply",
    subject: basename(file),
    detail: null,
    ip: null,
    requestId: null,
    outcome: "begun",
  });
  try {
    const difference = await apply();
    const ended = changesAnything(difference)
      ? store.endAudit(entry, { outcome: "done", detail: JSON.stringify(countsOf(difference)) })
      : store.dropAudit(entry);
    // The catalog is applied even if its audit entry stays open.
    await ended.catch((error: Error) => log.warn("audit_not_ended", { entry, error: error.message }));
    return difference;
  } catch (error) {
    if (error instanceof StoreError) await store.endAudit(entry, { outcome: "refused" });
    throw error;
  }
}

/** A watched catalog file. */
export interface CatalogWatch {
  /** Applies the file if it has changed. Call once a second. Never rejects; only one check runs at a time. */
  look(): Promise<void>;
  /** Ends watching; later calls of `look` do nothing. */
  stop(): void;
}

/** Returns a value that changes whenever the file is written or replaced. */
const versionOf = (found: BigIntStats | undefined): string =>
  found === undefined ? "" : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");

/** Errors of an unreadable file are reported by the code that reads it. */
function versionNow(file: string): string {
  try {
    return versionOf(statSync(file, { bigint: true }));
  } catch {
    return versionOf(undefined);
  }
}

/**
 * Watches the catalog file for changes since this call and applies them. An invalid file is logged, and the
 * last valid catalog stays in use.
 */
export function watchCatalogFile(options: FirstRunOptions): CatalogWatch {
  const { config, log } = options;
  const file = config.catalog;
  if (file === undefined) return { look: async () => {}, stop() {} };
  let version = versionNow(file);
  let isLooking = false;
  let isStopped = false;

  async function look(path: string): Promise<void> {
    // Asynchronous, because the file may be on a network disk.
    const found = versionOf(await stat(path, { bigint: true }).catch(() => undefined));
    if (found === version || isStopped) return;
    version = found;
    await applyCatalogFile(path, options).catch((error: Error) => {
      log.error("catalog_refused", { file: path, kept: "the last good catalog", faults: error.message });
    });
  }

  return {
    async look() {
      if (isLooking || isStopped) return;
      isLooking = true;
      await look(file);
      isLooking = false;
    },
    stop() {
      isStopped = true;
    },
  };
}
