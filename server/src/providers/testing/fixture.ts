/**
 * For tests: one upstream call, from the caller's request to the caller's answer. Every provider has fixtures
 * of every kind that its descriptor does not list in `lacks`. The first line of a fixture file names its
 * sources in `docs/wire/`. `gateway/dispatch/attempt/fixtures.test.ts` plays them all: whole, byte by byte,
 * and cut at random.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import type { FaultKind } from "../../domain/routing/fault.ts";
import type { Lack } from "../descriptor.ts";

/** The kinds of fixtures that every provider must have. */
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

/** The kinds a provider must have, given what it lacks. */
export function kindsWithout(lacks: readonly Lack[] = []): readonly FixtureKind[] {
  const missing = new Set(lacks.flatMap((lack) => kindsOfLacks[lack] ?? []));
  return fixtureKinds.filter((kind) => !missing.has(kind));
}

/** The answer the caller must get, assembled from chunks or read whole. Absent members are not checked. */
export interface Expected {
  readonly text?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  /** Names and parsed arguments, in order; `id` only if it matters. */
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  readonly finish?: string;
  /** Null: the upstream reported none that can be trusted. */
  readonly usage?: Usage | null;
  /** The attempt fails with this fault; with `text`, after that text was delivered. */
  readonly fault?: FaultKind;
  readonly retryAfterMs?: number;
}

export interface Fixture {
  /** Unique within the provider. */
  readonly name: string;
  readonly kind: FixtureKind;
  /** The caller's body. Its `stream` decides whether the answer is streamed. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The model's name at the upstream. */
  readonly model: string;
  /** Members of the upstream that differ from this provider's default. */
  readonly upstream?: Partial<Upstream>;
  /** What the deployment says its upstream speaks. */
  readonly formats?: readonly FormatId[];
  /**
   * What the upstream must be sent: parts of the body that have to be there, by
   * top-level name; null = must be absent.
   */
  readonly sent?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  /** Default: the protocol's usual headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The upstream's body, byte for byte; an object is sent as JSON. */
  readonly answer: string | Buffer | object;
  readonly expected: Expected;
}
