/** All migrations, oldest first. A new one is a file of its own and an entry here. */
import pkg from "../../../package.json" with { type: "json" };
import { initial } from "./0001-0015/0001-initial.ts";
import { ledger } from "./0001-0015/0002-ledger.ts";
import { prices } from "./0001-0015/0003-prices.ts";
import { upstreamSettings } from "./0001-0015/0004-upstream-settings.ts";
import { costs } from "./0001-0015/0005-costs.ts";
import { limits } from "./0001-0015/0006-limits.ts";
import { routing } from "./0001-0015/0007-routing.ts";
import { upstreamStates } from "./0001-0015/0008-upstream-states.ts";
import { upstreamPresets } from "./0001-0015/0009-upstream-presets.ts";
import { consoleTables } from "./0001-0015/0010-console.ts";
import { usage } from "./0001-0015/0011-usage.ts";
import { lookups } from "./0001-0015/0012-lookups.ts";
import { usageByTime } from "./0001-0015/0013-usage-by-time.ts";
import { firstByte } from "./0001-0015/0014-first-byte.ts";
import { refusals } from "./0001-0015/0015-refusals.ts";
import { reasoningAndJournals } from "./0016-0021/0016-reasoning-and-journals.ts";
import { operations } from "./0016-0021/0017-operations.ts";
import { plainNames } from "./0016-0021/0018-plain-names.ts";
import { storedResponses } from "./0016-0021/0019-stored-responses.ts";
import { usageByOperation } from "./0016-0021/0020-usage-by-operation.ts";
import { responsesKept } from "./0016-0021/0021-responses-kept.ts";
import { upgrades } from "./0022-0029/0022-upgrades.ts";
import { listsOfAccounts } from "./0022-0029/0023-lists-of-accounts.ts";
import { finestSums } from "./0022-0029/0024-finest-sums.ts";
import { sumsWrittenOnce } from "./0022-0029/0025-sums-written-once.ts";
import { indexesByAccount } from "./0022-0029/0026-indexes-by-account.ts";
import { requestsKept } from "./0022-0029/0027-requests-kept.ts";
import { upstreamHeaders } from "./0022-0029/0028-upstream-headers.ts";
import { keysWithAccount } from "./0022-0029/0029-keys-with-account.ts";
import { liveSamples } from "./0030-live-samples.ts";
import { auditArchives } from "./0031-audit-archives.ts";
import { labelsOfKeys } from "./0032-labels-of-keys.ts";
import { disabledModels } from "./0033-disabled-models.ts";
import { accountOfLeases } from "./0034-account-of-leases.ts";
import { leasesWithAccount } from "./0035-leases-with-account.ts";
import { localesOfUsers } from "./0036-locales-of-users.ts";
import { lastEntries } from "./0037-last-entries.ts";
import { entriesByAccount } from "./0038-entries-by-account.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [
  initial,
  ledger,
  prices,
  upstreamSettings,
  costs,
  limits,
  routing,
  upstreamStates,
  upstreamPresets,
  consoleTables,
  usage,
  lookups,
  usageByTime,
  firstByte,
  refusals,
  reasoningAndJournals,
  operations,
  plainNames,
  storedResponses,
  usageByOperation,
  responsesKept,
  upgrades,
  listsOfAccounts,
  finestSums,
  sumsWrittenOnce,
  indexesByAccount,
  requestsKept,
  upstreamHeaders,
  keysWithAccount,
  liveSamples,
  auditArchives,
  labelsOfKeys,
  disabledModels,
  accountOfLeases,
  leasesWithAccount,
  localesOfUsers,
  lastEntries,
  entriesByAccount,
];

/** Recorded with each migration that this Plaza runs. */
export const plazaVersion: string = pkg.version;

/** The newest schema this Plaza knows. */
export const newestSchema = (): number => migrations.at(-1)?.version ?? 0;
