/**
 * `plaza connect`: the catalog file as it is, and the upstream that is to be connected: one of the
 * file's, or a new one. Asks no network.
 */
import type { Catalog, Upstream } from "@plaza/contract/catalog.ts";
import { type Aim, aimOf, findSame, isAt, suggestId } from "../../connect/aim.ts";
import type { CatalogPrice } from "../../domain/catalog/model-catalog.ts";
import { isSealed, openSealedCredentials } from "../../start/sealed-credentials.ts";
import { readCatalogText } from "../apply.ts";
import type { CommandIo, Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { readSettings } from "../settings-options.ts";
import { loadSecretKey } from "../with-store.ts";
import { type CredentialOptions, type Given, readCredentials } from "./credential.ts";
import { readText } from "./file.ts";
import type { FileNow } from "./plan.ts";
import { readAim, readOptionPairs, upstreamEntry, upstreamOf } from "./target.ts";

/** The command's options, read. */
export interface ConnectOptions extends CredentialOptions {
  readonly id?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly option?: readonly string[];
  readonly models?: readonly string[];
  readonly price?: CatalogPrice;
  readonly pricesOf?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The upstream as it is, or as it is to be. */
export interface Subject {
  readonly aim: Aim;
  readonly upstream: Upstream;
  /** True when the upstream is already in the file. */
  readonly isThere: boolean;
  readonly options: Readonly<Record<string, string>>;
  readonly given: readonly Given[];
}

/** The same upstream at the one of its addresses that answered. */
export function movedTo(subject: Subject, baseUrl: string): Subject {
  const { aim, upstream, isThere } = subject;
  if (isThere || aim.baseUrl === undefined) return subject;
  return { ...subject, aim: { ...aim, baseUrl }, upstream: { ...upstream, baseUrl } };
}

const defaultFile = "plaza.yaml";
const emptyCatalog: Catalog = { upstreams: [], models: [], limits: {} };

/** The file the options name; a file that is not there yet is an empty one. Throws `invalid_catalog`. */
export async function readFile(io: CommandIo, options: ConnectOptions): Promise<FileNow> {
  const name = readSettings(io, options, ["catalog"]).catalog ?? defaultFile;
  const text = readText(name);
  if (text === undefined || text.trim() === "") return { name, text: undefined, catalog: emptyCatalog };
  return { name, text, catalog: (await readCatalogText(io, text, name)).catalog };
}

/** The credentials of an upstream that is in the file, as they are presented to it. */
async function openedCredentials(
  io: CommandIo,
  options: ConnectOptions,
  there: Upstream,
): Promise<readonly string[]> {
  if (!there.credentials.some(isSealed)) return there.credentials;
  const key = await loadSecretKey(io, options);
  return (
    openSealedCredentials({ ...emptyCatalog, upstreams: [there] }, () => key).upstreams[0]?.credentials ?? []
  );
}

/** What the words mean beside what the file has. */
export async function readSubject(
  io: CommandIo,
  word: string | undefined,
  options: ConnectOptions,
  { name, catalog: { upstreams } }: FileNow,
  terminal: Terminal | undefined,
): Promise<Subject> {
  const named = options.id === undefined ? undefined : upstreams.find(({ id }) => id === options.id);
  const isOnlyNamed = named !== undefined && word === undefined && options.provider === undefined;
  const pairs = readOptionPairs(options.option ?? []);
  const aim = isOnlyNamed ? aimOf(named) : readAim(word, options, pairs);
  const there = named ?? (options.id === undefined ? findSame(aim, pairs, upstreams) : undefined);
  if (there !== undefined && findSame(aim, pairs, [there]) === undefined) {
    const message = `${name} already has a different upstream ${there.id}: choose another name with --id`;
    throw new CommandFailure("id_taken", message);
  }
  const kept = there === undefined ? [] : await openedCredentials(io, options, there);
  const isHosted = aim.target.needsKey && (aim.baseUrl === undefined || isAt(aim));
  const given = await readCredentials(options, { target: aim.target, isHosted, kept }, io, terminal);
  if (there !== undefined) {
    if (given.some(({ from }) => from !== "file"))
      io.err(`${name} already has upstream ${there.id}; its credentials stay unchanged.\n`);
    return { aim, upstream: there, isThere: true, options: pairs, given };
  }
  const id = options.id ?? suggestId(aim, upstreams);
  const entry = upstreamEntry(aim, { id, options: pairs, credentials: [] });
  const upstream = upstreamOf(
    entry,
    given.map(({ text }) => text),
  );
  return { aim, upstream, isThere: false, options: pairs, given };
}
