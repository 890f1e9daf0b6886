/**
 * `plaza connect`: turns its arguments into a service (`connect/aim.ts`) and a catalog file entry. Makes no
 * network calls.
 */
import type { Catalog, Upstream } from "@plaza/contract/catalog.ts";
import { type Aim, aimAt } from "../../connect/aim.ts";
import { ConnectFailure } from "../../connect/failure.ts";
import { readCatalogFile } from "../../domain/catalog/file.ts";
import { providers } from "../../providers/index.ts";
import { presets } from "../../providers/presets/presets.ts";
import { CommandFailure } from "../failure.ts";
import { type Entry, plainText } from "./yaml.ts";

const usage = (message: string): CommandFailure => new CommandFailure("not_understood", message, 2);

/** What to do about a failure on the command line, by its code. */
const hints: Readonly<Record<string, string>> = {
  timeout: "; raise --timeout, or name the models with --models",
  credential_missing: ": pass one with --credential-env NAME",
  address_unknown: ", with --base-url",
};

/** Codes of arguments that were not understood. */
const usages = new Set(["not_understood", "address_unknown"]);

/** Converts the failure into one of this command. */
export function asCommandFailure(thrown: unknown): unknown {
  if (!(thrown instanceof ConnectFailure)) return thrown;
  const { code, message } = thrown;
  return new CommandFailure(code, message + (hints[code] ?? ""), usages.has(code) ? 2 : 1);
}

/** Reads `PRESET-OR-BASE-URL`, `--provider`, `--base-url` and the options that form an address. */
export function readAim(
  word: string | undefined,
  given: { readonly provider?: string; readonly baseUrl?: string },
  options: Readonly<Record<string, string>> = {},
): Aim {
  const isUrl = word !== undefined && /[:/@#?]/.test(word);
  if (isUrl && given.baseUrl !== undefined) throw usage("pass one base URL, not two");
  if (!isUrl && word !== undefined && given.provider !== undefined && word !== given.provider)
    throw usage("a named service already has a provider: use --provider with a base URL");
  try {
    return isUrl
      ? aimAt(given.provider, word, options)
      : aimAt(word ?? given.provider, given.baseUrl, options);
  } catch (error) {
    throw asCommandFailure(error);
  }
}

/** Parses `k=v` texts. */
export function readOptionPairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([A-Za-z][A-Za-z0-9]{0,63})=([\s\S]*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw usage("write an option as name=value, for example --option region=eu-west-1");
      return [name, value];
    }),
  );
}

/** Parses `name=VARIABLE` texts. */
export function readHeaderPairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, variable] = /^([A-Za-z0-9_-]{1,100})=([A-Za-z_]\w*)$/.exec(pair) ?? [];
      if (name === undefined || variable === undefined)
        throw usage("write a header as name=VARIABLE, for example --header-env x-team=GATEWAY_TEAM");
      return [name.toLowerCase(), variable];
    }),
  );
}

/** Builds the upstream's entry for the file. Credentials and headers: as they should be written there. */
export function upstreamEntry(
  { target, baseUrl }: Aim,
  more: {
    readonly id: string;
    readonly options: Readonly<Record<string, string>>;
    readonly credentials: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
  },
): Entry {
  const { preset, provider } = target;
  const options = Object.entries(more.options).map(([name, value]) => [name, plainText(value)]);
  return {
    fields: {
      id: more.id,
      provider: provider.id,
      preset: preset?.id,
      baseUrl: baseUrl === undefined ? target.baseUrl : plainText(baseUrl),
      ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
      ...(more.credentials.length === 0 ? {} : { credentials: more.credentials }),
      ...(Object.keys(more.headers).length === 0 ? {} : { headers: more.headers }),
    },
  };
}

/**
 * Builds the upstream of an entry, with these credentials; its headers are the values themselves. Throws with
 * all faults of the entry.
 */
export function upstreamOf(entry: Entry, credentials: readonly string[]): Upstream {
  const headers = Object.entries(entry.fields["headers"] ?? {}).map(([name, value]) => [
    name,
    plainText(String(value)),
  ]);
  const fields = {
    ...entry.fields,
    credentials: credentials.map(plainText),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
  const text = JSON.stringify({ upstreams: [fields], models: [] });
  const result = readCatalogFile(text, { env: {}, fileName: "", providers, presets });
  if (!result.ok) {
    const faults = result.faults.map((fault) => fault.replace(/^:\d+:\d+ (?:upstreams\[0\]\.?)?/, ""));
    throw usage(faults.join("\n"));
  }
  const upstream = (result.catalog satisfies Catalog).upstreams[0];
  if (upstream === undefined) throw new Error("the upstream was not read back");
  return upstream;
}
