/**
 * When a client disconnects, as a table: the upstream's instructions, what the client waits for, and the
 * expected row. Pure data.
 */
import type { Random } from "../harness/random.ts";
import type { SeenStream } from "../harness/seen-tokens.ts";
import type { Plan } from "../upstream/plan.ts";

/** How a row's usage was determined. */
export type Source = "exact" | "estimated" | "none";

/** One disconnect, with all random values chosen. */
export interface Leaving {
  readonly plan: Partial<Plan>;
  /** Disconnects after this many milliseconds … */
  readonly afterMs?: number | undefined;
  /** … or when this is true; both absent = stays to the end. */
  readonly until?: ((seen: SeenStream) => boolean) | undefined;
}

export interface Phase {
  readonly name: string;
  readonly isStream: boolean;
  /** Default `rig-model`. */
  readonly model?: "rig-finish" | undefined;
  /** A moment that only chat has between two of its events; absent: at all endpoints. */
  readonly isOfChat?: true | undefined;
  /** Uses a separate upstream per call, because a failing one gets no calls for a while. */
  readonly isFresh?: true | undefined;
  /** Allowed values of the row. */
  readonly sources: readonly Source[];
  /** The upstream has stopped when the caller disconnects: its count equals what the caller received. */
  readonly isStill: boolean;
  make(random: Random): Leaving;
}

const longMs = 60_000;
/** Longer than it takes to notice a disconnect. */
const slowMs = 250;

const texts = ["en", "zh", "emoji"] as const;

/** Random differences between vendors. */
function dialect(random: Random): Partial<Plan> {
  return {
    text: random.pick(texts),
    usageNull: random.chance(0.3),
    python: random.chance(0.2),
    crlf: random.chance(0.2),
    commentEvery: random.chance(0.2) ? random.int(1, 5) : 0,
    coalesce: random.chance(0.3) ? random.int(2, 9) : 1,
  };
}

/** At least ten tokens, so that the average token has a typical length. */
const size = (random: Random): number => random.int(10, 160);

const atTokens = (tokens: number) => (seen: SeenStream) => seen.tokens >= tokens;

const streams: readonly Phase[] = [
  {
    name: "stream, before upstream headers",
    isStream: true,
    sources: ["none"],
    isStill: true,
    make: (random) => ({ plan: { headersMs: longMs }, afterMs: random.int(1, 150) }),
  },
  {
    name: "stream, before the first token",
    isStream: true,
    sources: ["none"],
    isStill: true,
    make: (random) => ({ plan: { ...dialect(random), firstMs: longMs }, afterMs: random.int(1, 150) }),
  },
  {
    name: "stream, mid stream, upstream silent",
    isStream: true,
    sources: ["estimated"],
    isStill: true,
    make(random) {
      const tokens = size(random);
      const plan = { ...dialect(random), tokens: tokens + 20, burst: tokens, gapMs: longMs };
      return { plan, until: atTokens(tokens) };
    },
  },
  {
    name: "stream, mid stream, tokens flowing",
    isStream: true,
    sources: ["estimated"],
    isStill: false,
    make(random) {
      const burst = size(random);
      return { plan: { ...dialect(random), tokens: 2_000, burst, gapMs: slowMs }, until: atTokens(burst) };
    },
  },
  {
    name: "stream, anywhere",
    isStream: true,
    sources: ["exact", "estimated", "none"],
    isStill: false,
    make: (random) => ({
      plan: {
        ...dialect(random),
        coalesce: 1,
        tokens: random.int(10, 60),
        firstMs: random.int(0, 50),
        gapMs: 4,
      },
      afterMs: random.int(0, 400),
    }),
  },
  {
    name: "stream, after the finish before usage",
    isStream: true,
    isOfChat: true,
    sources: ["estimated"],
    isStill: true,
    make: (random) => ({
      plan: { ...dialect(random), tokens: size(random), endMs: longMs },
      until: (seen) => seen.hasFinish,
    }),
  },
  {
    name: "stream, after usage before [DONE]",
    isStream: true,
    isOfChat: true,
    sources: ["exact"],
    isStill: true,
    make(random) {
      const tokens = size(random);
      const plan = { ...dialect(random), commentEvery: 0, tokens, cutEvent: tokens + 3, how: "hang" };
      return { plan, until: (seen) => seen.hasUsage };
    },
  },
  {
    name: "stream, after its end",
    isStream: true,
    sources: ["exact"],
    isStill: true,
    make: (random) => ({ plan: { ...dialect(random), tokens: size(random) }, until: (seen) => seen.hasDone }),
  },
];

const wholes: readonly Phase[] = [
  {
    name: "whole, before upstream headers",
    isStream: false,
    sources: ["none"],
    isStill: true,
    make: (random) => ({ plan: { headersMs: longMs }, afterMs: random.int(1, 150) }),
  },
  {
    name: "whole, before the body",
    isStream: false,
    sources: ["none"],
    isStill: true,
    make: (random) => ({ plan: { firstMs: longMs }, afterMs: random.int(1, 150) }),
  },
  {
    name: "whole, in the middle of the body",
    isStream: false,
    sources: ["none"],
    isStill: true,
    make: (random) => ({ plan: { fault: "one_byte_per_second" }, afterMs: random.int(50, 400) }),
  },
  {
    name: "whole, as the body arrives",
    isStream: false,
    sources: ["exact"],
    isStill: true,
    make: (random) => ({ plan: { tokens: size(random) }, until: () => true }),
  },
];

/** Upstreams that bill the whole answer: it is read to its usage and charged exactly. */
const billingOn: readonly Phase[] = [
  {
    name: "stream, before the first token, upstream bills on",
    isStream: true,
    model: "rig-finish",
    sources: ["exact"],
    isStill: false,
    make: (random) => ({
      plan: { ...dialect(random), tokens: size(random), firstMs: 400 },
      afterMs: random.int(50, 200),
    }),
  },
  {
    name: "stream, mid stream, upstream bills on",
    isStream: true,
    model: "rig-finish",
    sources: ["exact"],
    isStill: false,
    make(random) {
      const burst = size(random);
      const plan = { ...dialect(random), tokens: burst + random.int(1, 3), burst, gapMs: 150 };
      return { plan, until: atTokens(burst) };
    },
  },
  {
    name: "whole, before the body, upstream bills on",
    isStream: false,
    model: "rig-finish",
    sources: ["exact"],
    isStill: false,
    make: (random) => ({ plan: { tokens: size(random), firstMs: 400 }, afterMs: random.int(50, 200) }),
  },
];

/** No client disconnects here; the upstream's long error text must not be charged. */
const errors: readonly Phase[] = [
  ...[true, false].map((isStream) => ({
    name: `${isStream ? "stream" : "whole"}, an error instead of an answer`,
    isStream,
    isFresh: true as const,
    sources: ["none"] as const,
    isStill: true,
    make: (random: Random) => ({
      plan: { fault: random.pick(["status_500_body", "status_429_plain", "html_200"]) },
    }),
  })),
  {
    name: "stream, an error after two tokens",
    isStream: true,
    sources: ["estimated"],
    isStill: true,
    make: () => ({ plan: { fault: "error_in_band", tokens: 40 } }),
  },
];

/** All phases; a rig uses them in turn. */
export const phases: readonly Phase[] = [...streams, ...wholes, ...billingOn, ...errors];
