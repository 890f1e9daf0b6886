/**
 * For tests: one call of an upstream written down, from the caller's request to what the caller has to get.
 * Every provider has fixtures of every kind its descriptor does not say it lacks; their first line says which
 * part of `docs/wire/` they were built from. `gateway/dispatch/attempt/fixtures.test.ts` walks through them
 * all, whole, byte by byte and cut at random.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import type { FaultKind } from "../../domain/routing/fault.ts";
import type { Lack } from "../descriptor.ts";

/** What a provider without one of these has not shown. */
const fixtureKinds = [
  "text",
  "stream",
  "tool call",
  "parallel tools",
  "reasoning",
  "usage with caching",
  "error",
  "error in 200",
  "truncated stream",
  "safety stop",
] as const;

export type FixtureKind = (typeof fixtureKinds)[number];

const kindsOfLacks: Readonly<Partial<Record<Lack, readonly FixtureKind[]>>> = {
  tools: ["tool call", "parallel tools"],
  "parallel tools": ["parallel tools"],
  reasoning: ["reasoning"],
  "prompt caching": ["usage with caching"],
  "content filter": ["safety stop"],
};

/** The kinds of fixtures a provider without these has to have. */
export function kindsWithout(lacks: readonly Lack[] = []): readonly FixtureKind[] {
  const missing = new Set(lacks.flatMap((lack) => kindsOfLacks[lack] ?? []));
  return fixtureKinds.filter((kind) => !missing.has(kind));
}

/**
 * What the caller has to get, put together from chunks or read from the whole
 * answer. What is absent is not looked at.
 */
export interface Expected {
  readonly text?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  /** Names and parsed arguments, in order; `id` only where it matters. */
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  readonly finish?: string;
  /** null: the upstream told none that can be trusted. */
  readonly usage?: Usage | null;
  /** The attempt fails so; with `text` present, after that was delivered. */
  readonly fault?: FaultKind;
  readonly retryAfterMs?: number;
}

export interface Fixture {
  /** Unique within the provider. */
  readonly name: string;
  readonly kind: FixtureKind;
  /** The caller's body; `stream` decides how the answer comes. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The model's name at the upstream. */
  readonly model: string;
  /** What of the upstream differs from an empty one of this provider. */
  readonly upstream?: Partial<Upstream>;
  /**
   * What the upstream must be sent: parts of the body that have to be there, by
   * top-level name; null = must be absent.
   */
  readonly sent?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  /** Default: what the protocol sends. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The upstream's body, byte for byte; an object is sent as JSON. */
  readonly answer: string | Buffer | object;
  readonly expected: Expected;
}
