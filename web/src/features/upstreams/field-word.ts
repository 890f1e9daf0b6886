/** What the form of an upstream calls a field of its values. */
import type { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import type { KeyOf, Translate } from "../../i18n/messages.ts";
import type { UpstreamValues } from "./values.ts";

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

/** `field` is a key of `UpstreamValues`. */
export function fieldWord(t: Translate<Key>, field: string): string {
  return Object.hasOwn(words, field) ? t(words[field as keyof UpstreamValues]) : field;
}
