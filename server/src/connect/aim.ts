/** Determines which service to connect, its base URL, and the id of its upstream. Makes no network calls. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { readBaseUrl } from "../domain/catalog/file/base-url.ts";
import { guess, type Reading } from "../domain/catalog/file/reading.ts";
import { quote } from "../lib/quote.ts";
import { defaultProvider } from "../providers/index.ts";
import { ownerOfAddress } from "../providers/presets/priced-at.ts";
import { anyServer, type Target, targetAt, targetOfForm, targets } from "../providers/presets/targets.ts";
import { ConnectFailure, type ConnectField } from "./failure.ts";

/** What is to be connected. */
export interface Aim {
  readonly target: Target;
  /** As given; undefined: the target's own. */
  readonly baseUrl: string | undefined;
}

const usage = (made: Message, field: ConnectField): ConnectFailure =>
  new ConnectFailure("not_understood", made, field);

const goingOn = targets.filter(({ ended }) => ended === undefined);

function findTarget(name: string): Target {
  const known = name.toLowerCase();
  const isNamed = ({ id, preset, provider }: Target): boolean =>
    id === known || (preset === undefined && provider.aliases?.includes(known) === true);
  const target = targets.find(isNamed) ?? anyServer(known);
  if (target !== undefined) return target;
  const ids = targets.map(({ id }) => id);
  // Quotes the name only if it looks like words, because it may be a key entered by mistake.
  const near = guess(name, ids, "services");
  throw usage(
    /^[a-z][a-z -]{0,23}$/i.test(name)
      ? message("connect.serviceUnknown", { service: quote(name), guess: near })
      : message("connect.noSuchService", { guess: near }),
    "service",
  );
}

/** Returns a normalised base URL. Throws with what is wrong; a password in it is never repeated. */
function checkBaseUrl(text: string): string {
  const reading: Reading = { env: undefined, faults: [], warnings: [] };
  const baseUrl = readBaseUrl(reading, { part: { kind: "text", start: 0, text }, path: "" });
  const fault = reading.faults[0];
  if (fault !== undefined) throw usage(message("connect.baseUrl", { fault: fault.message }), "baseUrl");
  return baseUrl;
}

/** Returns the base URL that depends on an option such as a region. Throws when the option is missing. */
function addressByOptions(target: Target, options: Readonly<Record<string, string>>): string | undefined {
  const { baseUrl, provider } = target;
  const [form = "https://…"] = target.baseUrlForms;
  if (baseUrl !== undefined || !provider.needs.baseUrl) return undefined;
  const filled = form.replace(/\{(\w+)\}/g, (place, name: string) => options[name] ?? place);
  if (!/[{…]/.test(filled)) return checkBaseUrl(filled);
  throw new ConnectFailure(
    "address_unknown",
    message("connect.addressUnknown", { service: target.name, form }),
    "baseUrl",
  );
}

/** Returns the provider for a base URL without a named service. */
function targetOf(baseUrl: string): Target | undefined {
  const owner = ownerOfAddress(baseUrl);
  return (
    targetAt(baseUrl) ??
    targetOfForm(baseUrl) ??
    targets.find(({ id }) => id === owner) ??
    anyServer(defaultProvider.id)
  );
}

/** Throws for a discontinued service. Another server may still support its protocol. */
function checkGoesOn(aim: Aim): Aim {
  const { ended, name } = aim.target;
  if (ended === undefined || !isAt(aim)) return aim;
  const made = message("connect.serviceEnded", { service: name, on: ended.on, note: ended.note });
  throw new ConnectFailure("service_ended", made, "service");
}

/**
 * Determines the target from the name of a service, a base URL, or both, and the options that form an
 * address.
 */
export function aimAt(
  name: string | undefined,
  url: string | undefined,
  options: Readonly<Record<string, string>> = {},
): Aim {
  const baseUrl = url === undefined ? undefined : checkBaseUrl(url);
  if (name !== undefined) {
    const target = findTarget(name);
    return checkGoesOn({ target, baseUrl: baseUrl ?? addressByOptions(target, options) });
  }
  const target = baseUrl === undefined ? undefined : targetOf(baseUrl);
  if (target === undefined || baseUrl === undefined)
    throw usage(
      message("connect.nothingSaid", { services: goingOn.map(({ id }) => id).join(", ") }),
      "service",
    );
  return checkGoesOn({ target, baseUrl });
}

/** Returns the aim of an existing upstream. */
export function aimOf({ provider, preset, baseUrl }: Upstream): Aim {
  return checkGoesOn({
    target: findTarget(preset ?? provider),
    baseUrl: baseUrl === "" ? undefined : baseUrl,
  });
}

/** True when the address belongs to the target itself. */
export const isAt = ({ target, baseUrl }: Aim): boolean =>
  baseUrl === undefined || targetAt(baseUrl)?.id === target.id;

/** The URL with and without a version. */
function baseUrlsToTry(baseUrl: string): readonly string[] {
  const { pathname } = new URL(baseUrl);
  if (pathname === "/") return [`${baseUrl}/v1`, baseUrl];
  const version = /\/v\d+\w*$/.exec(pathname)?.[0];
  return version === undefined
    ? [baseUrl, `${baseUrl}/v1`]
    : [baseUrl, baseUrl.slice(0, baseUrl.length - version.length)];
}

/**
 * Returns the URLs to try for the model list of a manually entered address, most likely first. All are on its
 * host.
 */
export function addressesOf({ target }: Aim, baseUrl: string): readonly string[] {
  const { origin } = new URL(baseUrl);
  const known = [target.baseUrl, ...(target.preset?.otherBaseUrls ?? [])].filter(
    (url): url is string => url !== undefined && new URL(url).origin === origin,
  );
  if (known.includes(baseUrl) || target.provider.isDefault !== true) return [baseUrl];
  return [...new Set([...known, ...baseUrlsToTry(baseUrl)])];
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

/** The default id of a new upstream; differs from all existing ids. */
export function suggestId({ target, baseUrl }: Aim, upstreams: readonly Upstream[]): string {
  const isNamed = target.baseUrl !== undefined || baseUrl === undefined || target.id !== defaultProvider.id;
  const plain = isNamed ? target.id : nameAt(baseUrl);
  const taken = new Set(upstreams.map(({ id }) => id));
  let id = plain;
  for (let number = 2; taken.has(id); number += 1) id = `${plain}-${number}`;
  return id;
}

/** Returns the existing upstream that this aim refers to; undefined = none. */
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
