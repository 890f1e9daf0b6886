/**
 * Rate and concurrency limits on key, account, model and installation: collects the limits of a request,
 * takes units of each, and builds the rate limit headers. All or nothing: a refused request takes nothing.
 */
import { Admission, type LimitAdmission, unlimited } from "./admission.ts";
import type { LimitKind, LimitScope, LocalBucket } from "./bucket.ts";
import { blocked, tooLarge } from "./errors.ts";
import { addHeaders } from "./headers.ts";
import { RateLimitClient, type RateLimitClientOptions } from "./rate-limit-client.ts";
import { type LimitedModel, LimitRegistry, type LimitSubjects } from "./subjects.ts";

export type { LimitAdmission } from "./admission.ts";

/** How much a request may use. */
interface LimitUse {
  readonly inputTokens: number;
  /** Output tokens requested per choice; undefined = not stated. */
  readonly outputTokens: number | undefined;
  readonly answers: number;
  /** The model's own maximum. */
  readonly maxOutput: number | undefined;
}

/** What a request may use, and the subjects whose limits apply. */
export type LimitRequest = LimitUse & LimitSubjects;

export interface LimitHit {
  readonly scope: LimitScope;
  readonly kind: LimitKind;
  readonly count: number;
}

/** What a request takes of the limits of a substitute model. */
export type SubstituteUse = LimitUse & { readonly model: LimitedModel };

export interface Limits {
  /**
   * Throws or rejects with `rate_limit_exceeded`, and then nothing is taken. The returned admission must be
   * ended exactly once.
   */
  admit(request: LimitRequest): LimitAdmission | Promise<LimitAdmission>;
  /** Takes only the substitute model's own limits; key and account are already admitted. */
  admitSubstitute(request: SubstituteUse): LimitAdmission | Promise<LimitAdmission>;
  /**
   * Admits a replayed answer: it counts as a request, without tokens or concurrency. A limit of 0 refuses it
   * too.
   */
  admitRepeat(subjects: LimitSubjects): LimitAdmission | Promise<LimitAdmission>;
  /** The `x-ratelimit-*` headers as a flat list; empty without limits. */
  headers(subjects: LimitSubjects): readonly string[];
  /** Call about once a second. */
  tick(): void;
  close(): Promise<void>;
  /** For metrics: limits in memory, and refusals since the start. */
  readonly counts: { readonly subjects: number; readonly hits: readonly LimitHit[] };
}

const noHeaders: readonly string[] = [];

/**
 * Output tokens reserved when the caller states none. Most answers are shorter; a longer one is corrected
 * afterwards.
 */
const outputTokensSet = 2_048;
/** Subjects checked per tick for removal. */
const sweptPerTick = 2_000;

export function createLimits(options: RateLimitClientOptions): Limits {
  const registry = new LimitRegistry();
  const rateLimitClient = new RateLimitClient(options);
  function unitsOf(request: LimitUse, buckets: readonly LocalBucket[]): number[] {
    const { inputTokens, outputTokens, maxOutput, answers } = request;
    const output = outputTokens ?? Math.min(maxOutput ?? outputTokensSet, outputTokensSet);
    const tokens = inputTokens + output * answers;
    const units: number[] = [];
    for (let index = 0; index < buckets.length; index += 1) {
      const bucket = buckets[index] as LocalBucket;
      if (bucket.limit === 0) {
        rateLimitClient.count(bucket);
        throw blocked(bucket);
      }
      const isTokens = bucket.kind === "tpm";
      if (isTokens && inputTokens > bucket.limit) {
        rateLimitClient.count(bucket);
        throw tooLarge(bucket, inputTokens);
      }
      units.push(isTokens ? Math.min(tokens, bucket.limit) : 1);
    }
    return units;
  }

  function refuseBlocked(buckets: readonly LocalBucket[]): void {
    const none = buckets.find(({ limit }) => limit === 0);
    if (none === undefined) return;
    rateLimitClient.count(none);
    throw blocked(none);
  }

  function admitTo(
    buckets: readonly LocalBucket[],
    request: LimitUse,
  ): LimitAdmission | Promise<LimitAdmission> {
    if (buckets.length === 0) return unlimited;
    return rateLimitClient.admit(new Admission(rateLimitClient, buckets, unitsOf(request, buckets)));
  }

  return {
    admit(request) {
      const buckets: LocalBucket[] = [];
      registry.collect(request, "rpm", buckets);
      registry.collect(request, "tpm", buckets);
      registry.collect(request, "conc", buckets);
      return admitTo(buckets, request);
    },
    admitSubstitute(request) {
      const buckets: LocalBucket[] = [];
      for (const kind of ["rpm", "tpm", "conc"] as const) registry.collectModel(request.model, kind, buckets);
      return admitTo(buckets, request);
    },
    admitRepeat(subjects) {
      const others: LocalBucket[] = [];
      registry.collect(subjects, "tpm", others);
      registry.collect(subjects, "conc", others);
      refuseBlocked(others);
      const buckets: LocalBucket[] = [];
      registry.collect(subjects, "rpm", buckets);
      return admitTo(buckets, { inputTokens: 0, outputTokens: 0, answers: 1, maxOutput: undefined });
    },
    headers(subjects) {
      const requests: LocalBucket[] = [];
      const tokens: LocalBucket[] = [];
      registry.collect(subjects, "rpm", requests);
      registry.collect(subjects, "tpm", tokens);
      if (requests.length + tokens.length === 0) return noHeaders;
      const nowMs = options.clock.elapsedMs();
      const headers: string[] = [];
      if (requests.length > 0) addHeaders("requests", requests, nowMs, headers);
      if (tokens.length > 0) addHeaders("tokens", tokens, nowMs, headers);
      return headers;
    },
    tick() {
      rateLimitClient.tick();
      registry.sweep(options.clock.elapsedMs(), sweptPerTick);
    },
    close: () => rateLimitClient.close(),
    get counts() {
      const hits = [...rateLimitClient.hits].map(([name, count]) => {
        const [scope, kind] = name.split(" ") as [LimitScope, LimitKind];
        return { scope, kind, count };
      });
      return { subjects: registry.count, hits };
    },
  };
}
