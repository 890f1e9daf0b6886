/** The `upstreams` of a catalog file. Knows no provider by name: which there are, and what each needs, is passed in. */
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { suggest } from "../../lib/nearest.ts";
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
  readonly needs: { readonly baseUrl: boolean; readonly credentials: boolean };
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

function readBaseUrl(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, "an address like https://api.example.com/v1");
  if (read === undefined) return "";
  const url = /\s/.test(read.text) ? null : URL.parse(read.text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // What does not parse may still hold a password.
    const given = read.text.includes("@") ? "this" : read.shown;
    fault(reading, spot, `${given} is not an http or https address, like https://api.example.com/v1`);
    return "";
  }
  if (url.username !== "" || url.password !== "") {
    fault(reading, spot, "must hold no user name or password; put secrets into credentials");
  }
  if (/[?#]/.test(read.text)) fault(reading, spot, "must have no query (?…) and no fragment (#…)");
  return (url.origin + url.pathname).replace(/\/+$/, "");
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

/** One upstream; undefined where it is no mapping at all. */
export function readUpstream(
  reading: Reading,
  spot: Spot,
  providers: readonly KnownProvider[],
): Upstream | undefined {
  const fields = readFields(reading, spot, upstreamNames);
  if (fields === undefined) return undefined;
  if (fields.id === undefined)
    missing(reading, spot, "id", "name the upstream, so that deployments can refer to it");
  if (fields.provider === undefined) {
    const ids = providers.map(({ id }) => id).sort();
    missing(reading, spot, "provider", `say which protocol it speaks (providers: ${ids.join(", ")})`);
  }
  const provider =
    fields.provider === undefined ? undefined : readProvider(reading, fields.provider, providers);
  if (provider?.needs.baseUrl === true && fields.baseUrl === undefined) {
    missing(reading, spot, "baseUrl", `provider "${provider.id}" needs the address up to and including /v1`);
  }
  const isCredentialNeeded = provider?.needs.credentials === true;
  if (isCredentialNeeded && fields.credentials === undefined) {
    missing(
      reading,
      spot,
      "credentials",
      `provider "${provider.id}" needs at least one, like ["\${UPSTREAM_KEY}"]`,
    );
  }
  const credentials =
    fields.credentials === undefined
      ? []
      : readList(reading, fields.credentials, "credentials", isCredentialNeeded ? 1 : 0, credentialsMax);
  const whenCallerLeaves = readWhenCallerLeaves(reading, fields.whenCallerLeaves);
  return {
    id: fields.id === undefined ? "" : readId(reading, fields.id),
    provider: provider?.id ?? "",
    baseUrl: fields.baseUrl === undefined ? "" : readBaseUrl(reading, fields.baseUrl),
    credentials: credentials.map((credential) => readCredential(reading, credential)),
    timeouts: { ...defaultTimeouts, ...readTimeouts(reading, fields.timeouts) },
    ...(whenCallerLeaves === undefined ? {} : { whenCallerLeaves }),
    ...readPlaces(reading, fields),
  };
}
