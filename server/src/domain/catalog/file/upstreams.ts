/** The `upstreams` of a catalog file. Knows no provider or preset by name: which there are, and what each needs, is passed in. */
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { suggest } from "../../../lib/nearest.ts";
import { readBaseUrl, warnOfMissingPath } from "./base-url.ts";
import { type KnownOptions, readOptions } from "./options.ts";
import {
  fault,
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
import { readTimeouts } from "./timeouts.ts";

/** What is known of a provider: its id and the settings an upstream of it must have. */
export interface KnownProvider {
  readonly id: string;
  /** Its one public address, where it has one: what an upstream without `baseUrl` gets. */
  readonly baseUrl?: string | undefined;
  readonly needs: {
    readonly baseUrl: boolean;
    readonly credentials: boolean;
    readonly options?: KnownOptions | undefined;
  };
}

/** What is known of a service that speaks a provider's protocol: where it is, and whether it wants a key. */
export interface KnownPreset {
  readonly id: string;
  /** Id of a provider. */
  readonly provider: string;
  /** Absent: only the operator knows its address, which has one of the forms. */
  readonly baseUrl?: string | undefined;
  /** Like `https://{region}.example.com/v1`, the usual one first. */
  readonly baseUrlForms?: readonly string[] | undefined;
  readonly needsKey: boolean;
}

/** Everything an upstream can be. */
export interface KnownUpstreams {
  readonly providers: readonly KnownProvider[];
  readonly presets: readonly KnownPreset[];
}

const upstreamNames = [
  "id",
  "provider",
  "baseUrl",
  "credentials",
  "timeouts",
  "whenCallerLeaves",
  "concurrency",
  "queue",
  "affinity",
  "preset",
  "options",
] as const;

const credentialsMax = 100;
const credentialLengthMax = 8_192;
const concurrencyMax = 1_000_000;
const queueMax = 100_000;

function readProvider(
  reading: Reading,
  spot: Spot,
  providers: readonly KnownProvider[],
): KnownProvider | undefined {
  const read = readText(reading, spot, "the id of a provider");
  if (read === undefined) return undefined;
  const provider = providers.find(({ id }) => id === read.text);
  if (provider === undefined) {
    const ids = providers.map(({ id }) => id).sort();
    fault(reading, spot, `there is no provider ${read.shown}${suggest(read.text, ids, "providers")}`);
  }
  return provider;
}

function readPreset(reading: Reading, spot: Spot, presets: readonly KnownPreset[]): KnownPreset | undefined {
  const read = readText(reading, spot, "the id of a preset");
  if (read === undefined) return undefined;
  const preset = presets.find(({ id }) => id === read.text);
  if (preset === undefined) {
    const ids = presets.map(({ id }) => id).sort();
    fault(reading, spot, `there is no preset ${read.shown}${suggest(read.text, ids, "presets")}`);
  }
  return preset;
}

/** A credential goes into an HTTP header, so it must not be able to end one. Its text is in no message. */
function readCredential(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, `a credential, best as \${VARIABLE}`, true);
  if (read === undefined) return "";
  if (read.text.length > credentialLengthMax) {
    fault(reading, spot, `is longer than ${credentialLengthMax} characters`);
  } else if (!/^[!-~](?:[ -~]*[!-~])?$/.test(read.text)) {
    fault(reading, spot, "must be printable ASCII without line breaks and without spaces around it");
  }
  return read.text;
}

/** undefined for `stop`, which is what an upstream does that says nothing. */
function readWhenCallerLeaves(reading: Reading, spot: Spot | undefined): "finish" | undefined {
  if (spot === undefined) return undefined;
  const read = readText(reading, spot, "stop or finish");
  if (read === undefined || read.text === "stop") return undefined;
  if (read.text === "finish") return "finish";
  fault(reading, spot, `${read.shown} is neither stop nor finish`);
  return undefined;
}

/** undefined for `key`, which is what an upstream does that says nothing. */
function readAffinity(reading: Reading, spot: Spot | undefined): "none" | undefined {
  if (spot === undefined) return undefined;
  const read = readText(reading, spot, "key or none");
  if (read === undefined || read.text === "key") return undefined;
  if (read.text === "none") return "none";
  fault(reading, spot, `${read.shown} is neither key nor none`);
  return undefined;
}

/** How many calls at once, how many wait, and who goes where; what the file does not say stays absent. */
function readPlaces(
  reading: Reading,
  fields: { readonly concurrency?: Spot; readonly queue?: Spot; readonly affinity?: Spot },
): Pick<Upstream, "concurrency" | "queue" | "affinity"> {
  const { concurrency, queue } = fields;
  const affinity = readAffinity(reading, fields.affinity);
  if (queue !== undefined && concurrency === undefined)
    warn(reading, queue, "means nothing without concurrency: nobody ever waits");
  return {
    ...(concurrency === undefined ? {} : { concurrency: readWhole(reading, concurrency, 1, concurrencyMax) }),
    ...(queue === undefined ? {} : { queue: readWhole(reading, queue, 0, queueMax) }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}

/** What the file says the upstream is: its preset and its provider; undefined where that is unknown or a fault. */
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
    const message = `preset "${preset.id}" is for provider "${preset.provider}" and means nothing to provider "${provider.id}"`;
    warn(reading, fields.preset ?? spot, message);
    return { provider, preset: undefined };
  }
  if (fields.preset !== undefined) {
    const provider = known.providers.find(({ id }) => id === preset?.provider);
    if (preset !== undefined && provider === undefined)
      fault(reading, fields.preset, `there is no provider "${preset.provider}", which it needs`);
    return { provider, preset };
  }
  const ids = known.providers.map(({ id }) => id).sort();
  missing(reading, spot, "provider", `say which protocol it speaks (providers: ${ids.join(", ")})`);
  return { provider: undefined, preset: undefined };
}

/** The address the file gives, else the preset's, else the provider's own; "" where there is none. */
function baseUrlOf(
  reading: Reading,
  upstream: Spot,
  spot: Spot | undefined,
  provider: KnownProvider | undefined,
  preset: KnownPreset | undefined,
): string {
  // A preset without an address is not where its provider is.
  const known = preset === undefined ? provider?.baseUrl : preset.baseUrl;
  if (spot !== undefined) {
    const baseUrl = readBaseUrl(reading, spot);
    warnOfMissingPath(reading, spot, baseUrl, known);
    return baseUrl;
  }
  if (provider?.needs.baseUrl !== true) return "";
  if (known === undefined) {
    const form = preset?.baseUrlForms?.[0];
    const message =
      form === undefined
        ? `provider "${provider.id}" needs the address up to and including /v1`
        : `only you know where preset "${preset?.id}" is: give its address, like ${form}`;
    missing(reading, upstream, "baseUrl", message);
  }
  return known ?? "";
}

/** One upstream; undefined where it is no mapping at all. */
export function readUpstream(reading: Reading, spot: Spot, known: KnownUpstreams): Upstream | undefined {
  const fields = readFields(reading, spot, upstreamNames);
  if (fields === undefined) return undefined;
  if (fields.id === undefined)
    missing(reading, spot, "id", "name the upstream, so that deployments can refer to it");
  const { provider, preset } = readKind(reading, spot, fields, known);
  const needing = preset?.needsKey === true ? `preset "${preset.id}"` : `provider "${provider?.id}"`;
  const isCredentialNeeded = provider?.needs.credentials === true || preset?.needsKey === true;
  const baseUrl = baseUrlOf(reading, spot, fields.baseUrl, provider, preset);
  if (isCredentialNeeded && fields.credentials === undefined) {
    missing(reading, spot, "credentials", `${needing} needs at least one, like ["\${UPSTREAM_KEY}"]`);
  }
  const credentials =
    fields.credentials === undefined
      ? []
      : readList(reading, fields.credentials, "credentials", isCredentialNeeded ? 1 : 0, credentialsMax);
  const whenCallerLeaves = readWhenCallerLeaves(reading, fields.whenCallerLeaves);
  const options =
    provider === undefined
      ? undefined
      : readOptions(reading, spot, fields.options, {
          id: provider.id,
          options: provider.needs.options ?? {},
        });
  return {
    id: fields.id === undefined ? "" : readId(reading, fields.id),
    provider: provider?.id ?? "",
    baseUrl,
    credentials: credentials.map((credential) => readCredential(reading, credential)),
    timeouts: { ...defaultTimeouts, ...readTimeouts(reading, fields.timeouts) },
    ...(preset === undefined ? {} : { preset: preset.id }),
    ...(options === undefined ? {} : { options }),
    ...(whenCallerLeaves === undefined ? {} : { whenCallerLeaves }),
    ...readPlaces(reading, fields),
  };
}
