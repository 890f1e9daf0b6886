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
import { readAim, readHeaderPairs, readOptionPairs, upstreamEntry, upstreamOf } from "./target.ts";

/** The command's parsed options. */
export interface ConnectOptions extends CredentialOptions {
  readonly id?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly option?: readonly string[];
  /** `name=VARIABLE`. */
  readonly headerEnv?: readonly string[];
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
  /** Headers of a new upstream: the variables that hold their values, by name. */
  readonly headers: Readonly<Record<string, string>>;
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

/** Returns an upstream in the file with its secrets decrypted. */
async function opened(io: CommandIo, options: ConnectOptions, there: Upstream): Promise<Upstream> {
  if (![...there.credentials, ...Object.values(there.headers ?? {})].some(isSealed)) return there;
  const key = await loadSecretKey(io, options);
  return openSealedCredentials({ ...emptyCatalog, upstreams: [there] }, () => key).upstreams[0] ?? there;
}

/** Returns the values of headers by name. */
function headerTexts(io: CommandIo, variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => {
      const value = io.env[variable];
      if (value === undefined || value === "")
        throw new CommandFailure(
          "not_understood",
          `the variable ${variable} of header ${name} is not set`,
          2,
        );
      return [name, value];
    }),
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
  const open = there === undefined ? undefined : await opened(io, options, there);
  const kept = open?.credentials ?? [];
  const headers = readHeaderPairs(options.headerEnv ?? []);
  const texts = headerTexts(io, headers);
  const isHosted = aim.target.needsKey && (aim.baseUrl === undefined || isAt(aim));
  const given = await readCredentials(options, { target: aim.target, isHosted, kept }, io, terminal);
  if (there !== undefined) {
    if (options.headerEnv !== undefined)
      io.err(`${name} already has upstream ${there.id}; its headers stay unchanged.\n`);
    if (given.some(({ from }) => from !== "file"))
      io.err(`${name} already has upstream ${there.id}; its credentials stay unchanged.\n`);
    const upstream = open?.headers === undefined ? there : { ...there, headers: open.headers };
    return { aim, upstream, isThere: true, options: pairs, headers: {}, given };
  }
  const id = options.id ?? suggestId(aim, upstreams);
  const entry = upstreamEntry(aim, { id, options: pairs, credentials: [], headers: texts });
  const upstream = upstreamOf(
    entry,
    given.map(({ text }) => text),
  );
  return { aim, upstream, isThere: false, options: pairs, headers, given };
}
