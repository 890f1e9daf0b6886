/**
 * Reads the `upstreams` of a catalog file. Uses no provider or preset names: the known ones and their needs
 * are parameters.
 */

import { defaultTimeouts, type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { catalogMax } from "@plaza/contract/catalog-values.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { readBaseUrl, warnOfMissingPath } from "./base-url.ts";
import { type KnownOptions, readOptions } from "./options.ts";
import {
  fault,
  guess,
  missing,
  type Reading,
  readFields,
  readId,
  readList,
  readText,
  readWhole,
  type Spot,
  warn,
} from "./reading.ts";
import { type KnownHeaders, readHeaders } from "./secrets/headers.ts";
import { readSecretText } from "./secrets/secret-text.ts";
import { readTimeouts } from "./timeouts.ts";

/** A provider's id and the settings its upstreams need. */
export interface KnownProvider {
  readonly id: string;
  /** Default base URL of an upstream without `baseUrl`; absent when there is no single public address. */
  readonly baseUrl?: string | undefined;
  readonly needs: {
    readonly baseUrl: boolean;
    readonly credentials: boolean;
    readonly options?: KnownOptions | undefined;
    readonly headers?: KnownHeaders | undefined;
    /** True when a credential may be `workloadIdentity`. */
    readonly identity?: true | undefined;
  };
  /** What it can speak about conversations; absent: nothing that a deployment could choose from. */
  readonly formats?: readonly FormatId[] | undefined;
}

/** A service's preset: its address, and whether it needs a key. */
export interface KnownPreset {
  readonly id: string;
  /** Id of a provider. */
  readonly provider: string;
  /** Absent: only the operator knows its address, which has one of the forms. */
  readonly baseUrl?: string | undefined;
  /** Like `https://{region}.example.com/v1`; the usual one first. */
  readonly baseUrlForms?: readonly string[] | undefined;
  readonly needsKey: boolean;
}

/** The known providers and presets. */
export interface KnownUpstreams {
  readonly providers: readonly KnownProvider[];
  readonly presets: readonly KnownPreset[];
}

/** The keys of an upstream. */
export const upstreamNames = [
  "id",
  "provider",
  "baseUrl",
  "credentials",
  "timeouts",
  "onDisconnect",
  "concurrency",
  "queue",
  "affinity",
  "preset",
  "options",
  "headers",
] as const;

/** Old names, read until the version after the one that renamed them. */
const renamedNames = { whenCallerLeaves: "onDisconnect" } as const;

const credentialsMax = 100;
const credentialLengthMax = 8_192;

function readProvider(
  reading: Reading,
  spot: Spot,
  providers: readonly KnownProvider[],
): KnownProvider | undefined {
  const read = readText(reading, spot, message("file.idOfProvider"));
  if (read === undefined) return undefined;
  const provider = providers.find(({ id }) => id === read.text);
  if (provider === undefined) {
    const ids = providers.map(({ id }) => id).sort();
    fault(
      reading,
      spot,
      message("file.providerUnknown", { given: read.shown, guess: guess(read.text, ids, "providers") }),
    );
  }
  return provider;
}

function readPreset(reading: Reading, spot: Spot, presets: readonly KnownPreset[]): KnownPreset | undefined {
  const read = readText(reading, spot, message("file.idOfPreset"));
  if (read === undefined) return undefined;
  const preset = presets.find(({ id }) => id === read.text);
  if (preset === undefined) {
    const ids = presets.map(({ id }) => id).sort();
    fault(
      reading,
      spot,
      message("file.presetUnknown", { given: read.shown, guess: guess(read.text, ids, "presets") }),
    );
  }
  return preset;
}

/** A credential becomes part of an HTTP header. */
function readCredential(reading: Reading, spot: Spot, provider: KnownProvider | undefined): string {
  const isFiles = reading.env !== undefined;
  const secret = readSecretText(
    reading,
    spot,
    message(isFiles ? "file.aCredentialOfFile" : "file.aCredential"),
    credentialLengthMax,
  );
  if (secret === workloadIdentity && provider !== undefined && provider.needs.identity !== true)
    fault(reading, spot, message("identity.notSupported", { provider: provider.id }));
  return secret;
}

/** Undefined for `stop`, which is the default. */
function readOnDisconnect(reading: Reading, spot: Spot | undefined): "finish" | undefined {
  if (spot === undefined) return undefined;
  const read = readText(reading, spot, message("file.stopOrFinish"));
  if (read === undefined || read.text === "stop") return undefined;
  if (read.text === "finish") return "finish";
  fault(reading, spot, message("file.neitherStopNorFinish", { given: read.shown }));
  return undefined;
}

/** Undefined for `key`, which is the default. */
function readAffinity(reading: Reading, spot: Spot | undefined): "none" | undefined {
  if (spot === undefined) return undefined;
  const read = readText(reading, spot, message("file.keyOrNone"));
  if (read === undefined || read.text === "key") return undefined;
  if (read.text === "none") return "none";
  fault(reading, spot, message("file.neitherKeyNorNone", { given: read.shown }));
  return undefined;
}

/** Concurrency, queue length and affinity; values missing in the file stay absent. */
function readConcurrency(
  reading: Reading,
  fields: { readonly concurrency?: Spot; readonly queue?: Spot; readonly affinity?: Spot },
): Pick<Upstream, "concurrency" | "queue" | "affinity"> {
  const { concurrency, queue } = fields;
  const affinity = readAffinity(reading, fields.affinity);
  if (queue !== undefined && concurrency === undefined)
    warn(reading, queue, message("file.queueWithoutConcurrency"));
  return {
    ...(concurrency === undefined
      ? {}
      : { concurrency: readWhole(reading, concurrency, 1, catalogMax.concurrency) }),
    ...(queue === undefined ? {} : { queue: readWhole(reading, queue, 0, catalogMax.queue) }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}

/** The upstream's preset and provider; undefined when unknown or a fault. */
function readKind(
  reading: Reading,
  spot: Spot,
  fields: { readonly provider?: Spot; readonly preset?: Spot },
  known: KnownUpstreams,
): { readonly provider: KnownProvider | undefined; readonly preset: KnownPreset | undefined } {
  const preset = fields.preset === undefined ? undefined : readPreset(reading, fields.preset, known.presets);
  if (fields.provider !== undefined) {
    const provider = readProvider(reading, fields.provider, known.providers);
    if (preset === undefined || provider === undefined || preset.provider === provider.id)
      return { provider, preset };
    const otherwise = message("file.presetOfOther", {
      preset: preset.id,
      provider: preset.provider,
      given: provider.id,
    });
    warn(reading, fields.preset ?? spot, otherwise);
    return { provider, preset: undefined };
  }
  if (fields.preset !== undefined) {
    const provider = known.providers.find(({ id }) => id === preset?.provider);
    if (preset !== undefined && provider === undefined)
      fault(reading, fields.preset, message("file.presetProviderUnknown", { provider: preset.provider }));
    return { provider, preset };
  }
  const ids = known.providers.map(({ id }) => id).sort();
  missing(reading, spot, "provider", message("file.giveProvider", { ids: ids.join(", ") }));
  return { provider: undefined, preset: undefined };
}

/** The base URL in the file, else the preset's, else the provider's own; "" when there is none. */
function baseUrlOf(
  reading: Reading,
  upstream: Spot,
  spot: Spot | undefined,
  provider: KnownProvider | undefined,
  preset: KnownPreset | undefined,
): string {
  // A preset without an address is not at its provider's.
  const known = preset === undefined ? provider?.baseUrl : preset.baseUrl;
  if (spot !== undefined) {
    const baseUrl = readBaseUrl(reading, spot);
    warnOfMissingPath(reading, spot, baseUrl, known);
    return baseUrl;
  }
  if (provider?.needs.baseUrl !== true) return "";
  if (known === undefined) {
    const form = preset?.baseUrlForms?.[0];
    const wanted =
      form === undefined
        ? message("file.giveAddress", { provider: provider.id })
        : message("file.giveAddressLike", { preset: preset?.id ?? "", form });
    missing(reading, upstream, "baseUrl", wanted);
  }
  return known ?? "";
}

/** Reads one upstream; undefined when it is not a mapping. */
export function readUpstream(reading: Reading, spot: Spot, known: KnownUpstreams): Upstream | undefined {
  const fields = readFields(reading, spot, upstreamNames, renamedNames);
  if (fields === undefined) return undefined;
  if (fields.id === undefined) missing(reading, spot, "id", message("file.giveUpstreamId"));
  const { provider, preset } = readKind(reading, spot, fields, known);
  const needing =
    preset?.needsKey === true
      ? { kind: "preset", id: preset.id }
      : { kind: "provider", id: String(provider?.id) };
  const isCredentialNeeded = provider?.needs.credentials === true || preset?.needsKey === true;
  const baseUrl = baseUrlOf(reading, spot, fields.baseUrl, provider, preset);
  if (isCredentialNeeded && fields.credentials === undefined) {
    missing(
      reading,
      spot,
      "credentials",
      message(reading.env === undefined ? "file.giveCredential" : "file.giveCredentialInFile", needing),
    );
  }
  const credentials =
    fields.credentials === undefined
      ? []
      : readList(reading, fields.credentials, "credentials", isCredentialNeeded ? 1 : 0, credentialsMax);
  const onDisconnect = readOnDisconnect(reading, fields.onDisconnect);
  const options =
    provider === undefined
      ? undefined
      : readOptions(reading, spot, fields.options, {
          id: provider.id,
          options: provider.needs.options ?? {},
        });
  const headers = readHeaders(reading, fields.headers, {
    known: provider?.needs.headers,
    isCredentialSent: credentials.length > 0,
  });
  return {
    id: fields.id === undefined ? "" : readId(reading, fields.id),
    provider: provider?.id ?? "",
    baseUrl,
    ...(headers === undefined ? {} : { headers }),
    credentials: credentials.map((credential) => readCredential(reading, credential, provider)),
    timeouts: { ...defaultTimeouts, ...readTimeouts(reading, fields.timeouts) },
    ...(preset === undefined ? {} : { preset: preset.id }),
    ...(options === undefined ? {} : { options }),
    ...(onDisconnect === undefined ? {} : { onDisconnect }),
    ...readConcurrency(reading, fields),
  };
}
