/** Cache marks on Claude's routes: one kind, with a lifetime of five minutes or one hour. */
import { message } from "@plaza/contract/messages/message.ts";
import type { CacheMark } from "../../conversation/blocks.ts";
import { isRecord } from "../../lib/record.ts";
import { invalid } from "../untranslatable.ts";

export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
}

/** A caller's mark in the protocol's form. Throws for any other shape. */
export function controlOf(mark: CacheMark | undefined): CacheControl | undefined {
  if (mark === undefined) return undefined;
  const { given, path: at } = mark;
  if (!isRecord(given) || given["type"] !== "ephemeral") {
    throw invalid(at, message("wire.cacheControl", { param: at }));
  }
  const { ttl } = given;
  if (ttl === undefined || ttl === null) return { type: "ephemeral" };
  if (ttl !== "5m" && ttl !== "1h") throw invalid(`${at}.ttl`, message("wire.cacheTtl", { param: at }));
  return { type: "ephemeral", ttl };
}
