/** What the form of an upstream calls a field of its values. */

import { rowText } from "../../forms/merge-edits.ts";
import type { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import type { KeyOf, Translate } from "../../i18n/messages.ts";
import type { OptionValues, UpstreamValues } from "./values.ts";

type Key = KeyOf<typeof operatorUpstreamsMessages>;

const words: Record<keyof UpstreamValues, Key> = {
  baseUrl: "baseUrl",
  options: "options",
  credentials: "credentials",
  newCredentials: "newCredentials",
  headers: "headers",
  concurrency: "concurrency",
  queue: "queue",
  connect: "connectTimer",
  firstByte: "firstByteTimer",
  firstToken: "firstTokenTimer",
  idle: "idleTimer",
  total: "totalTimer",
  affinity: "affinity",
  onDisconnect: "onDisconnect",
};

/** `field` is a key of `UpstreamValues`, or leads to a row of one: `headers.x-team`. */
export function fieldWord(t: Translate<Key>, field: string): string {
  const [first = "", row] = field.split(".");
  const name = Object.hasOwn(words, first) ? t(words[first as keyof UpstreamValues]) : first;
  return row === undefined ? name : `${name}: ${rowText(row)}`;
}

const hidden = "••••";

/** Options and headers in words, the values of headers hidden; undefined where plain text will do. */
export function fieldText(field: string, value: unknown): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  if (/^headers\..+\.value$/.test(field)) return hidden;
  if (!/^(options|headers)(\.[^.]+)?$/.test(field)) return undefined;
  const pairs = (Array.isArray(value) ? value : [value]) as readonly OptionValues[];
  if (pairs.length === 0) return undefined;
  return pairs.map((one) => (/^headers/.test(field) ? one.name : `${one.name}: ${one.value}`)).join(", ");
}
