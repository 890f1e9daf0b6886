/**
 * `plaza connect`: reads the catalog file and determines the upstream to connect, existing or new. Makes no
 * network calls.
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

/** The command's parsed options. */
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

/** The upstream to connect, existing or new. */
export interface Subject {
  readonly aim: Aim;
  readonly upstream: Upstream;
  /** True when the upstream is already in the file. */
  readonly isThere: boolean;
  readonly options: Readonly<Record<string, string>>;
  readonly given: readonly Given[];
}

/** Returns the same upstream with the base URL that answered. */
export function movedTo(subject: Subject, baseUrl: string): Subject {
  const { aim, upstream, isThere } = subject;
  if (isThere || aim.baseUrl === undefined) return subject;
  return { ...subject, aim: { ...aim, baseUrl }, upstream: { ...upstream, baseUrl } };
}

const defaultFile = "plaza.yaml";
const emptyCatalog: Catalog = { upstreams: [], models: [], limits: {} };

/** Reads the catalog file; a missing file counts as empty. Throws `invalid_catalog`. */
export async function readFile(io: CommandIo, options: ConnectOptions): Promise<FileNow> {
  const name = readSettings(io, options, ["catalog"]).catalog ?? defaultFile;
  const text = readText(name);
  if (text === undefined || text.trim() === "") return { name, text: undefined, catalog: emptyCatalog };
  return { name, text, catalog: (await readCatalogText(io, text, name)).catalog };
}

/** Returns the decrypted credentials of an upstream in the file. */
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

/** Determines the upstream from the command's arguments and the file. */
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
