/**
 * Finds the limits of a request and keeps their buckets. Limits come from the key, the account (or the
 * catalog's default for accounts), the model and the installation.
 */
import type { Limits as LimitNumbers } from "@plaza/contract/catalog.ts";
import type { Caller } from "../request/authenticate.ts";
import type { Snapshot } from "../snapshot.ts";
import { type LimitKind, type LimitScope, LocalBucket } from "./bucket.ts";

/** A model's id and its own limits. */
export interface LimitedModel {
  readonly id: string;
  readonly limits?: LimitNumbers | undefined;
}

/** The key, account, model and installation whose limits apply. */
export interface LimitSubjects {
  readonly caller: Caller;
  readonly snapshot: Pick<Snapshot, "limits" | "installation">;
  /** undefined until the model is known. */
  readonly model: LimitedModel | undefined;
}

/** The buckets of one subject; undefined for kinds without a limit. */
interface Trio {
  rpm: LocalBucket | undefined;
  tpm: LocalBucket | undefined;
  conc: LocalBucket | undefined;
}

/** Limits of a key, an account or the catalog. */
interface Numbers {
  readonly requestsPerMinute?: number | null | undefined;
  readonly tokensPerMinute?: number | null | undefined;
  readonly concurrency?: number | null | undefined;
}

/** Direct property access: a computed name is slower, and this runs a dozen times per request. */
function numberOf(limits: Numbers, kind: LimitKind): number | null | undefined {
  if (kind === "rpm") return limits.requestsPerMinute;
  return kind === "tpm" ? limits.tokensPerMinute : limits.concurrency;
}

export class LimitRegistry {
  readonly #scopes: Readonly<Record<LimitScope, Map<string, Trio>>> = {
    key: new Map(),
    account: new Map(),
    model: new Map(),
    all: new Map(),
  };
  #count = 0;
  #sweeping: Iterator<[string, Trio]> | undefined;
  #sweepScope = 0;

  get count(): number {
    return this.#count;
  }

  /** Appends the request's buckets of one kind, in the order key, account, model, installation. */
  collect(subjects: LimitSubjects, kind: LimitKind, into: LocalBucket[]): void {
    const { caller, snapshot, model } = subjects;
    const { key, accountLimits } = caller;
    this.#add("key", key.id, kind, numberOf(key, kind), into);
    const ofAccount = numberOf(accountLimits, kind) ?? numberOf(snapshot.limits, kind);
    this.#add("account", key.accountId, kind, ofAccount, into);
    if (model !== undefined) this.collectModel(model, kind, into);
    const { installation } = snapshot;
    if (installation !== undefined) this.#add("all", "", kind, numberOf(installation, kind), into);
  }

  /** Appends the model's own bucket of one kind, if it has one. */
  collectModel({ id, limits }: LimitedModel, kind: LimitKind, into: LocalBucket[]): void {
    if (limits !== undefined) this.#add("model", id, kind, numberOf(limits, kind), into);
  }

  #add(
    scope: LimitScope,
    id: string,
    kind: LimitKind,
    limit: number | null | undefined,
    into: LocalBucket[],
  ): void {
    if (limit === null || limit === undefined) return;
    let trio = this.#scopes[scope].get(id);
    if (trio === undefined) {
      trio = { rpm: undefined, tpm: undefined, conc: undefined };
      this.#scopes[scope].set(id, trio);
    }
    let bucket = trio[kind];
    if (bucket === undefined) {
      bucket = new LocalBucket(scope, id, kind, limit);
      trio[kind] = bucket;
      this.#count += 1;
    } else if (bucket.limit !== limit) {
      bucket.setLimit(limit);
    }
    into.push(bucket);
  }

  /** Checks up to `countMax` subjects and drops buckets that are full and idle. */
  sweep(nowMs: number, countMax: number): void {
    for (let seen = 0; seen < countMax; seen += 1) {
      const scope = (["key", "account", "model", "all"] as const)[this.#sweepScope] as LimitScope;
      const map = this.#scopes[scope];
      this.#sweeping ??= map.entries();
      const next = this.#sweeping.next();
      if (next.done === true) {
        this.#sweeping = undefined;
        this.#sweepScope = (this.#sweepScope + 1) % 4;
        if (this.#sweepScope === 0) return;
        continue;
      }
      const [id, trio] = next.value;
      this.#forget(trio, nowMs);
      if (trio.rpm === undefined && trio.tpm === undefined && trio.conc === undefined) map.delete(id);
    }
  }

  #forget(trio: Trio, nowMs: number): void {
    for (const kind of ["rpm", "tpm", "conc"] as const) {
      if (trio[kind]?.isForgettable(nowMs) !== true) continue;
      trio[kind] = undefined;
      this.#count -= 1;
    }
  }
}
