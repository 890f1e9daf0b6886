/**
 * What a first start creates, so that the product works with no key, no config and no network:
 * the demo catalog, an account with a demo balance, one key. And the catalog file, applied at
 * every start and watched while serving.
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
import type { CatalogDifference } from "../store/catalog/shapes.ts";
import { StoreError } from "../store/error.ts";
import type { Store } from "../store/store.ts";
import { readCatalogInProcess } from "./catalog-process.ts";
import { openSealedCredentials } from "./sealed-credentials.ts";

/** What the banner shows about this start. */
export interface FirstRun {
  /** The first key's secret; only on the start that created it. */
  readonly secret: string | undefined;
  readonly accountId: string | undefined;
  /** A model to try, if there is one. */
  readonly modelId: string | undefined;
  readonly models: number;
  /** Nothing but the demo answers. */
  readonly isDemoOnly: boolean;
}

const demoBalance = parseUsd("5");

/** What the demo's models have in common. */
const demoFacts = {
  source: "demo",
  description: textOf(message("provider.demo")),
  price: { input: nanoUsd(0n), output: nanoUsd(0n) },
  deployments: [{ upstream: "demo", model: "demo", priority: 1, weight: 1 }],
} as const;

/** The catalog of an installation that has no other: free models, plainly no language models. */
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
    {
      ...demoFacts,
      id: "demo-completion",
      name: "Demo completion (not a language model)",
      operations: ["completion"],
      context: 128_000,
      maxOutput: 4_096,
      modalities: { input: ["text"], output: ["text"] },
    },
    {
      source: "demo",
      id: "demo-embedding",
      name: "Demo embedding (not a language model)",
      description: textOf(message("provider.demoEmbedding")),
      operations: ["embeddings"],
      context: 8_192,
      price: { input: nanoUsd(0n), output: nanoUsd(0n) },
      deployments: [{ upstream: "demo", model: "demo-embedding", priority: 1, weight: 1 }],
    },
  ],
  limits: {},
};

interface FirstRunOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Applies the catalog file, or the demo catalog to an empty store; creates the first
 * account and key where there is none.
 */
export async function firstRun({ config, store, clock, log }: FirstRunOptions): Promise<FirstRun> {
  if (config.catalog !== undefined) await applyCatalogFile(config.catalog, { config, store, clock, log });
  else if ((await store.loadCatalog()) === undefined) await store.applyCatalog(demoCatalog);
  const { models, upstreams } = (await store.loadCatalog()) ?? demoCatalog;
  const known = {
    modelId: models.find((model) => model.price !== undefined)?.id,
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

/** Reads, checks and stores a catalog file. Throws an Error listing every fault when it is not valid. */
async function applyCatalogFile(file: string, { config, store, clock, log }: FirstRunOptions): Promise<void> {
  const text = readFileSync(file, "utf8");
  const result = await readCatalogInProcess({ text, fileName: file });
  if (!result.ok) throw new Error(result.faults.join("\n"));
  for (const warning of result.warnings) log.warn("catalog_warning", { warning });
  const catalog = openSealedCredentials(
    result.catalog,
    () => config.secretKey ?? loadOrCreateKeyFile(secretKeyFile(config)),
  );
  const apply = () => store.applyCatalog(catalog);
  // Most starts change nothing, and then there is nothing to write down.
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
 * Applies the file between two lines of the audit log; of two processes that do it at once
 * one changes something and has a line.
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
    // What was applied is applied, and stands in the log as begun.
    await ended.catch((error: Error) => log.warn("audit_not_ended", { entry, error: error.message }));
    return difference;
  } catch (error) {
    if (error instanceof StoreError) await store.endAudit(entry, { outcome: "refused" });
    throw error;
  }
}

/** A watched catalog file. */
export interface CatalogWatch {
  /**
   * Applies the file if it has changed; to be called once a second. Resolves when that is
   * done, never rejects; one look at a time.
   */
  look(): Promise<void>;
  /** No further look does anything. */
  stop(): void;
}

/** Something else whenever the file was written or replaced by another one. */
const versionOf = (found: BigIntStats | undefined): string =>
  found === undefined ? "" : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");

/** A file that cannot be inspected is rejected by its readers. */
function versionNow(file: string): string {
  try {
    return versionOf(statSync(file, { bigint: true }));
  } catch {
    return versionOf(undefined);
  }
}

/**
 * Applies the catalog file again whenever it is another one than when this was called; an invalid one is
 * reported and the last good catalog stays.
 */
export function watchCatalogFile(options: FirstRunOptions): CatalogWatch {
  const { config, log } = options;
  const file = config.catalog;
  if (file === undefined) return { look: async () => {}, stop() {} };
  let version = versionNow(file);
  let isLooking = false;
  let isStopped = false;

  async function look(path: string): Promise<void> {
    // Not on this thread: the file may lie on another machine's disk.
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
