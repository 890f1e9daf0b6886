/**
 * An upstream as its form holds it, and as the API takes it. Credentials and
 * values of headers only ever go in. Pure; knows no component.
 */
import type { ShownUpstreamDocument, UpstreamDocument } from "@plaza/contract/api/catalog.ts";

export interface OptionValues {
  readonly name: string;
  readonly value: string;
}

export interface HeaderValues {
  readonly name: string;
  /** Empty keeps the stored value, if there is one. */
  readonly value: string;
  readonly isStored: boolean;
}

export interface UpstreamValues {
  readonly baseUrl: string;
  readonly options: readonly OptionValues[];
  readonly credentials: "keep" | "replace" | "none";
  readonly newCredentials: string;
  readonly headers: readonly HeaderValues[];
  readonly concurrency: number | null;
  readonly queue: number | null;
  /** Seconds; null = the default. */
  readonly connect: number | null;
  readonly firstByte: number | null;
  readonly firstToken: number | null;
  readonly idle: number | null;
  readonly total: number | null;
  readonly affinity: "key" | "none";
  readonly onDisconnect: "stop" | "finish";
}

/** By what the rows of an upstream's lists are told apart. */
export const upstreamRowNames = { options: ["name"], headers: ["name"] } as const;

/** The field of `headers.x-team`: the value in the row with that name. */
export function pairFieldOf(
  path: string,
  lists: Partial<Pick<UpstreamValues, "options" | "headers">>,
): string {
  const [, list, name] = /^(options|headers)\.(.+)$/.exec(path) ?? [];
  if (list === undefined || name === undefined) return path;
  const rows = lists[list as "options" | "headers"] ?? [];
  const isSaid = (one: OptionValues) => one.name.trim().toLowerCase() === name.toLowerCase();
  // Of two rows with one name the last is sent.
  const at = rows.findLastIndex(isSaid);
  return at === -1 ? list : `${list}.${at}.value`;
}

/** The form's field for a path of the document, where they differ. */
export function upstreamFieldOf(path: string, values: UpstreamValues): string {
  if (/^credentials\b/.test(path)) return "newCredentials";
  return pairFieldOf(path.replace(/^timeouts\.(\w+)Ms$/, "$1"), values);
}

/** What the form begins with. */
export function upstreamValuesOf(upstream: ShownUpstreamDocument): UpstreamValues {
  const { timeouts } = upstream;
  return {
    baseUrl: upstream.baseUrl,
    options: Object.entries(upstream.options).map(([name, value]) => ({ name, value })),
    credentials: upstream.credentialsFault === null ? "keep" : "replace",
    newCredentials: "",
    headers: Object.keys(upstream.headers).map((name) => ({
      name,
      value: "",
      isStored: upstream.credentialsFault === null,
    })),
    concurrency: upstream.concurrency,
    queue: upstream.queue,
    connect: timeouts.connectMs / 1_000,
    firstByte: timeouts.firstByteMs === null ? null : timeouts.firstByteMs / 1_000,
    firstToken: timeouts.firstTokenMs / 1_000,
    idle: timeouts.idleMs / 1_000,
    total: timeouts.totalMs / 1_000,
    affinity: upstream.affinity,
    onDisconnect: upstream.onDisconnect,
  };
}

/** One a line; what begins with `{` is a key file and one credential. */
export function credentialsIn(text: string): string[] {
  const whole = text.trim();
  if (whole === "") return [];
  if (whole.startsWith("{")) return [whole];
  return whole
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Options, or headers of a new upstream, by their names; an empty value is for the server to refuse. */
export function valuesByName(pairs: readonly OptionValues[]): Record<string, string> {
  return Object.fromEntries(
    pairs.flatMap(({ name, value }) => (name.trim() === "" ? [] : [[name.trim(), value.trim()]])),
  );
}

/** What an empty value means: the stored one, or a fault of the server where there is none. */
function headersOf(headers: readonly HeaderValues[]): Record<string, string | null> {
  return Object.fromEntries(
    headers.flatMap(({ name, value }) =>
      name.trim() === "" ? [] : [[name.trim(), value.trim() === "" ? null : value.trim()]],
    ),
  );
}

/** The form after it was saved: secrets are stored, and gone from it. */
export const savedValues = (values: UpstreamValues): UpstreamValues => ({
  ...values,
  credentials: "keep",
  newCredentials: "",
  headers: values.headers
    .filter(({ name }) => name.trim() !== "")
    .map(({ name }) => ({ name: name.trim().toLowerCase(), value: "", isStored: true })),
});

const msOf = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds * 1_000);

type Change = Omit<UpstreamDocument, "id"> & {
  readonly credentials?: string[];
  readonly headers: Record<string, string | null>;
};

/** What is sent; without `credentials` it keeps those it has, and the value of a header that is null. */
export function upstreamChangeOf(
  values: UpstreamValues,
  { provider, preset }: Pick<ShownUpstreamDocument, "provider" | "preset">,
): Change {
  const replaced = values.credentials === "replace" ? credentialsIn(values.newCredentials) : [];
  return {
    provider,
    preset,
    baseUrl: values.baseUrl.trim() === "" ? null : values.baseUrl.trim(),
    options: valuesByName(values.options),
    timeouts: {
      connectMs: msOf(values.connect),
      firstByteMs: msOf(values.firstByte),
      firstTokenMs: msOf(values.firstToken),
      idleMs: msOf(values.idle),
      totalMs: msOf(values.total),
    },
    concurrency: values.concurrency,
    queue: values.queue,
    affinity: values.affinity,
    onDisconnect: values.onDisconnect,
    headers: headersOf(values.headers),
    ...(values.credentials === "keep" ? {} : { credentials: replaced }),
  };
}
