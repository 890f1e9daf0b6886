/**
 * `plaza connect`: plans the new file, compares it with the database and, unless it is a dry run, writes and
 * applies it.
 */

import { workloadIdentity } from "@plaza/contract/catalog.ts";
import type { Proposal } from "../../connect/propose.ts";
import { openSealedCredentials, sealCredential } from "../../start/sealed-credentials.ts";
import type { CatalogDifference, CatalogStore } from "../../store/catalog/shapes.ts";
import { countsOf, readCatalogText } from "../apply.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { withStore } from "../with-store.ts";
import { replaceText } from "./file.ts";
import { type FileNow, type Plan, planFile } from "./plan.ts";
import type { ConnectOptions, Subject } from "./subject.ts";
import { upstreamEntry } from "./target.ts";
import type { Entry } from "./yaml.ts";

/**
 * Refuses to remove entries from the stored catalog that were never in the file: it may be the wrong file.
 */
async function refuseRemovals(
  store: CatalogStore,
  difference: CatalogDifference,
  file: FileNow,
): Promise<void> {
  if (difference.removed.length === 0) return;
  const stored = await store.loadCatalog();
  const theirs = stored?.upstreams.filter(({ source }) => source !== "console") ?? [];
  if (theirs.every(({ provider }) => provider === "demo")) return;
  const some = difference.removed.slice(0, 5).join(", ") + (difference.removed.length > 5 ? ", …" : "");
  const message =
    file.text === undefined
      ? `the database has a catalog (${some}), but ${file.name} does not exist here, and writing it would remove them: pass the original file with --catalog`
      : `the database has items that are not in ${file.name} (${some}) and would be removed: to remove them, run npx plaza apply ${file.name} first`;
  throw new CommandFailure("would_remove", `${message}; nothing was saved`);
}

/** What was written, or would be in a dry run. */
export interface Written {
  readonly plan: Plan;
  readonly difference: CatalogDifference;
}

/** Plans and compares; unless it is a dry run, writes the file and applies it. */
export async function write(
  io: CommandIo,
  subject: Subject,
  chosen: readonly Proposal[],
  file: FileNow,
  options: ConnectOptions,
): Promise<Written> {
  return await withStore(io, options, async (store, secretKey) => {
    const upstream = subject.isThere ? undefined : entryOf(subject, secretKey);
    const requested = { upstreamId: subject.upstream.id, upstream, chosen };
    const plan = await planFile(file, requested, (text) => readCatalogText(io, text, file.name));
    const catalog = openSealedCredentials(plan.catalog, () => secretKey);
    const difference = await store.compareCatalog(catalog);
    await refuseRemovals(store, difference, file);
    if (options.dryRun === true) return { plan, difference };
    replaceText(file.name, file.text, plan.text);
    const act = { action: "connect", subject: subject.upstream.id };
    const applied = await audited(
      io,
      store,
      act,
      () => store.applyCatalog(catalog),
      (made) => ({ detail: countsOf(made) }),
    );
    return { plan, difference: applied };
  });
}

/** The new upstream's entry in the file, with credentials as variables or encrypted, headers as variables. */
function entryOf(subject: Subject, secretKey: Buffer): Entry {
  const credentials = subject.given.map(({ variable, text }) => {
    if (variable !== undefined) return `\${${variable}}`;
    return text === workloadIdentity ? text : sealCredential(text, subject.upstream, secretKey);
  });
  const { id } = subject.upstream;
  const headers = Object.fromEntries(
    Object.entries(subject.headers).map(([name, variable]) => [name, `\${${variable}}`]),
  );
  return upstreamEntry(subject.aim, { id, options: subject.options, credentials, headers });
}
