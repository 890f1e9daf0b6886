/** `plaza connect`: which service the words mean, and the upstream it becomes in the catalog file. Asks no network. */
import type { Catalog, Upstream } from "@plaza/contract/catalog.ts";
import { readBaseUrl } from "../domain/catalog-file/base-url.ts";
import type { Reading } from "../domain/catalog-file/reading.ts";
import { readCatalogFile } from "../domain/catalog-file.ts";
import { catalogProviderOf } from "../domain/catalog-providers.ts";
import { suggest } from "../lib/nearest.ts";
import { quote } from "../lib/quote.ts";
import { providers } from "../providers/index.ts";
import { presets } from "../providers/presets.ts";
import { anyServer, type Target, targetAt, targets } from "../providers/targets.ts";
import { type Entry, plainText } from "./connect-yaml.ts";
import { CommandFailure } from "./failure.ts";

/** What is to be connected. */
export interface Aim {
  readonly target: Target;
  /** As it was given; undefined: the target's own. */
  readonly baseUrl: string | undefined;
}

const usage = (message: string): CommandFailure => new CommandFailure("not_understood", message, 2);

function findTarget(name: string): Target {
  const known = name === "gemini" ? "google" : name.toLowerCase();
  const target = targets.find(({ id }) => id === known) ?? anyServer(known);
  if (target !== undefined) return target;
  const ids = targets.map(({ id }) => id);
  // What stands in the place of a name by mistake may be a key.
  const shown = /^[a-z][a-z -]{0,23}$/i.test(name) ? `service ${quote(name)}` : "such service";
  throw usage(
    `there is no ${shown}${suggest(name, ids, "services")}; or give a base URL like http://127.0.0.1:8000/v1`,
  );
}

/** A base URL without what must not be in one. Throws with what is wrong; a password in it is never repeated. */
function checkBaseUrl(text: string): string {
  const reading: Reading = { env: {}, faults: [], warnings: [] };
  const baseUrl = readBaseUrl(reading, { part: { kind: "text", start: 0, text }, path: "" });
  const fault = reading.faults[0];
  if (fault !== undefined) throw usage(`the base URL: ${fault.message}`);
  return baseUrl;
}

/** The address of a service that is told by its options, like a region. Throws where nobody said it. */
function addressByOptions(target: Target, options: Readonly<Record<string, string>>): string | undefined {
  const { baseUrl, baseUrlForm = "https://…", provider } = target;
  if (baseUrl !== undefined || !provider.needs.baseUrl) return undefined;
  const filled = baseUrlForm.replace(/\{(\w+)\}/g, (form, name: string) => options[name] ?? form);
  if (!/[{…]/.test(filled)) return checkBaseUrl(filled);
  throw usage(
    `only you know where ${target.name} is: npx plaza connect ${baseUrlForm} --provider ${target.id}`,
  );
}

/** Who speaks at an address nobody named. */
function targetOf(baseUrl: string): Target | undefined {
  const known = catalogProviderOf(baseUrl);
  const id = known === "vertex" ? "google" : known;
  return targetAt(baseUrl) ?? targets.find((target) => target.id === id) ?? anyServer("openai");
}

/** Reads `PRESET-OR-BASE-URL`, `--provider`, `--base-url` and the options an address may be made of. */
export function readAim(
  word: string | undefined,
  given: { readonly provider?: string; readonly baseUrl?: string },
  options: Readonly<Record<string, string>> = {},
): Aim {
  const isUrl = word !== undefined && /[:/@#?]/.test(word);
  if (isUrl && given.baseUrl !== undefined) throw usage("give one base URL, not two");
  const url = isUrl ? word : given.baseUrl;
  const baseUrl = url === undefined ? undefined : checkBaseUrl(url);
  const name = isUrl ? given.provider : (word ?? given.provider);
  if (!isUrl && word !== undefined && given.provider !== undefined && word !== given.provider)
    throw usage("a service that is named already has a provider: --provider goes with a base URL");
  if (name !== undefined) {
    const target = findTarget(name);
    return { target, baseUrl: baseUrl ?? addressByOptions(target, options) };
  }
  const target = baseUrl === undefined ? undefined : targetOf(baseUrl);
  if (target === undefined || baseUrl === undefined)
    throw usage(`say what to connect: a service (${targets.map(({ id }) => id).join(", ")}) or a base URL`);
  return { target, baseUrl };
}

/** What an upstream of the file is. */
export function aimOf({ provider, preset, baseUrl }: Upstream): Aim {
  return { target: findTarget(preset ?? provider), baseUrl: baseUrl === "" ? undefined : baseUrl };
}

/** Is the address one of the target's own? */
export const isAt = ({ target, baseUrl }: Aim): boolean =>
  baseUrl === undefined || targetAt(baseUrl)?.id === target.id;

/** With and without a version. */
function baseUrlsToTry(baseUrl: string): readonly string[] {
  const { pathname } = new URL(baseUrl);
  if (pathname === "/") return [`${baseUrl}/v1`, baseUrl];
  const version = /\/v\d+\w*$/.exec(pathname)?.[0];
  return version === undefined
    ? [baseUrl, `${baseUrl}/v1`]
    : [baseUrl, baseUrl.slice(0, baseUrl.length - version.length)];
}

/** Where to look for the list of an address that was typed by hand, the likeliest place first: all of them on its own host. */
export function addressesOf({ target }: Aim, baseUrl: string): readonly string[] {
  const { origin } = new URL(baseUrl);
  const known = [target.baseUrl, ...(target.preset?.otherBaseUrls ?? [])].filter(
    (url): url is string => url !== undefined && new URL(url).origin === origin,
  );
  if (known.includes(baseUrl) || target.provider.id !== "openai") return [baseUrl];
  return [...new Set([...known, ...baseUrlsToTry(baseUrl)])];
}

/** `k=v` texts as options by name. */
export function readOptionPairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([A-Za-z][A-Za-z0-9]{0,63})=([\s\S]*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw usage("an option is written as name=value, like --option region=eu-west-1");
      return [name, value];
    }),
  );
}

/** A name from an address: `api.example.com` → `example`, `127.0.0.1:8000` → `local-8000`. */
function nameAt(baseUrl: string): string {
  const { hostname, port } = new URL(baseUrl);
  const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  if (isLocal) return port === "" ? "local" : `local-${port}`;
  if (/^[\d.]+$|^\[/.test(hostname)) return hostname.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const labels = hostname.split(".");
  return (labels.length > 2 ? labels.at(-2) : labels[0]) ?? hostname;
}

/** The id a new upstream gets when nobody names it; unlike those there are. */
export function suggestId({ target, baseUrl }: Aim, upstreams: readonly Upstream[]): string {
  const isNamed = target.baseUrl !== undefined || baseUrl === undefined || target.id !== "openai";
  const plain = isNamed ? target.id : nameAt(baseUrl);
  const taken = new Set(upstreams.map(({ id }) => id));
  let id = plain;
  for (let number = 2; taken.has(id); number += 1) id = `${plain}-${number}`;
  return id;
}

/** The upstream of the file that this aim means, if it has one already. */
export function findSame(
  { target, baseUrl }: Aim,
  options: Readonly<Record<string, string>>,
  upstreams: readonly Upstream[],
): Upstream | undefined {
  const wanted = baseUrl ?? target.baseUrl ?? "";
  return upstreams.find(
    (upstream) =>
      upstream.provider === target.provider.id &&
      (upstream.baseUrl === wanted || upstream.baseUrl === `${wanted}/v1`) &&
      Object.entries(options).every(([name, value]) => upstream.options?.[name] === value),
  );
}

/** The upstream as an entry of the file. `credentials` as they are to stand there. */
export function upstreamEntry(
  { target, baseUrl }: Aim,
  more: {
    readonly id: string;
    readonly options: Readonly<Record<string, string>>;
    readonly credentials: readonly string[];
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
    },
  };
}

/** The upstream an entry stands for, with credentials that count as given. Throws with everything that is wrong with it. */
export function upstreamOf(entry: Entry, credentials: readonly string[]): Upstream {
  const fields = { ...entry.fields, credentials: credentials.map(plainText) };
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
