/** `plaza key create`: creates an API key and shows its secret, once. */

import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { createApiKey, digestApiKey } from "../../domain/keys/api-key.ts";
import { createIdFactory } from "../../lib/id.ts";
import { suggest } from "../../lib/nearest.ts";
import { quote } from "../../lib/quote.ts";
import type { ApiKey } from "../../store/accounts/key-shapes.ts";
import type { CatalogStore } from "../../store/catalog/shapes.ts";
import {
  type Budget,
  formatBudget,
  readBudget,
  readFuture,
  readLabel,
  readModelIds,
  readName,
  readNetworks,
  readTag,
} from "../arguments.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { isoTime, shortTime, writeJson } from "../output.ts";
import { addStoreSettings, getAccount, withStore } from "../with-store.ts";
import { addLimitOptions, blockingNote, type LimitOptions, readLimitNumber } from "./limit-options.ts";

interface CreateOptions extends LimitOptions {
  readonly account: string;
  readonly name: string;
  readonly models?: readonly string[];
  readonly ips?: readonly string[];
  readonly budget?: Budget;
  readonly expires?: number;
  readonly project?: string;
  readonly tag?: readonly string[];
  readonly json?: boolean;
}

/** Rejects model ids that are not in the catalog. Without a catalog any id is accepted. */
async function checkModels(store: CatalogStore, ids: readonly string[]): Promise<void> {
  const catalog = await store.loadCatalog();
  if (catalog === undefined) return;
  const known = catalog.models.map(({ id }) => id);
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  const lines = unknown.map((id) => `unknown model ${quote(id)}${suggest(id, known, "models")}`);
  throw new CommandFailure("model_not_found", lines.join("\n"));
}

async function store(
  io: CommandIo,
  options: CreateOptions,
  secret: string,
  visiblePrefix: string,
): Promise<ApiKey> {
  return withStore(io, options, async (opened) => {
    await getAccount(opened, options.account);
    if (options.models !== undefined) await checkModels(opened, options.models);
    const key = {
      id: createIdFactory(io.clock)("key"),
      accountId: options.account,
      name: options.name,
      models: options.models ?? null,
      ips: options.ips ?? null,
      requestsPerMinute: options.rpm ?? null,
      tokensPerMinute: options.tpm ?? null,
      concurrency: options.concurrency ?? null,
      budget: options.budget ?? null,
      expiresAt: options.expires ?? null,
      project: options.project ?? null,
      tags: options.tag ?? [],
    };
    const { id: subject, accountId, ...detail } = key;
    return await audited(io, opened, { action: "key create", accountId, subject, detail }, () =>
      opened.createKey({ ...key, visiblePrefix, digest: digestApiKey(secret) }),
    );
  });
}

/** A key as JSON: amounts as text, times as ISO 8601. Never the secret. */
export function keyAsJson({ budget, expiresAt, createdAt, ...key }: ApiKey) {
  return {
    ...key,
    budget: budget === null ? null : formatBudget(budget),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    createdAt: isoTime(createdAt),
  };
}

async function create(io: CommandIo, options: CreateOptions): Promise<void> {
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  const key = await store(io, options, secret, visiblePrefix);
  io.err(blockingNote(options, "this key"));
  if (options.json === true) {
    const { id, ...rest } = keyAsJson(key);
    writeJson(io, { id, key: secret, ...rest });
    return;
  }
  const expiry = key.expiresAt === null ? "" : `, until ${shortTime(key.expiresAt)} UTC`;
  const models = key.models === null ? "all models" : key.models.join(", ");
  io.out(`${secret}\n\n`);
  io.out(`This is the secret of key ${key.id} for ${models}${expiry}.\n`);
  io.out("Plaza shows it once and keeps no copy. If you lose it, revoke the key and create another one.\n");
}

const more = `
Examples:
  $ npx plaza key create --account acc_01 --name laptop
  $ npx plaza key create --account acc_01 --models gpt-5-mini,demo --expires 30d --json
  $ npx plaza key create --account acc_01 --project search --tag batch --tag nightly
`;

export function addKeyCreate(key: Command, io: CommandIo): void {
  const command = key
    .command("create")
    .description("Create an API key. Its secret is shown once.")
    .requiredOption("--account <id>", "account that pays for the requests")
    .option("--name <name>", "display name", readName, "default")
    .option("--models <ids>", "allowed models, separated by commas (default: all)", readModelIds)
    .option(
      "--ips <networks>",
      "allowed IP addresses, for example 203.0.113.7,10.0.0.0/8 (default: all)",
      readNetworks,
    );
  addLimitOptions(command, "number", readLimitNumber)
    .option("--budget <usd/period>", "budget, for example 10.00/month or 1/day", readBudget)
    .option("--expires <date>", "expiry: 2030-12-31, 2030-12-31T18:00Z or 30d from now", (text: string) =>
      readFuture(text, io.clock.wallMs()),
    )
    .option("--project <label>", "project by which its usage is grouped", readLabel)
    .option("--tag <label>", "tag by which its usage is grouped; give several one by one", readTag)
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: CreateOptions) => create(io, options));
}
