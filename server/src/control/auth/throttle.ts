/**
 * Slows guessing down: attempts are counted per thing guessed at and per network they come from,
 * in the store, so that all processes count together. An attempt counts as failed from its
 * beginning until it is known to be none.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { innermostAddress, parseAddress } from "../../lib/net/address.ts";
import type { AttemptSubject, CountedAttempt } from "../../store/people/people.ts";
import type { ControlContext } from "../context.ts";
import { digestOf } from "./secret-text.ts";

/**
 * Something attempts are counted by: `kind` keeps different guesses apart; at
 * most `free` failures cost no waiting.
 */
export function attemptSubject(kind: string, text: string, free: number): AttemptSubject {
  return { subject: `${kind}:${digestOf(text)}`, free };
}

/** The network of one owner: an IPv4 address, or the first half of an IPv6 address. */
export function networkOf(ip: string): string {
  const bytes = parseAddress(ip);
  if (bytes === undefined) return ip;
  const inner = innermostAddress(bytes);
  return Buffer.from(inner.length === 4 ? inner : inner.subarray(0, 8)).toString("hex");
}

/**
 * How much of an address counts. `own`: an IPv4 address or an IPv6 /64. `home`: a /56, as providers give to
 * households. `site`: a /48, as they give to companies, or an IPv4 /24. `region`: an IPv6 /32 or an IPv4
 * /16, which thousands of strangers share.
 */
export type NetworkWidth = "own" | "home" | "site" | "region";

export interface OwnedNetwork {
  readonly name: string;
  readonly width: NetworkWidth;
}

const ipv4Widths = [
  [32, "own"],
  [24, "site"],
  [16, "region"],
] as const;
const ipv6Widths = [
  [64, "own"],
  [56, "home"],
  [48, "site"],
  [32, "region"],
] as const;

/**
 * The networks an address lies in, the narrowest first: the owner of one of
 * them can rotate through its addresses.
 */
export function networksOf(ip: string): OwnedNetwork[] {
  const bytes = parseAddress(ip);
  if (bytes === undefined) return [{ name: `unknown ${ip}`, width: "own" }];
  const inner = innermostAddress(bytes);
  const widths = inner.length === 4 ? ipv4Widths : ipv6Widths;
  return widths.map(([bits, width]) => {
    const prefix = Buffer.from(inner.subarray(0, bits / 8)).toString("hex");
    return { name: `${prefix}/${bits}`, width };
  });
}

export interface Attempt {
  readonly counted: readonly CountedAttempt[];
  /** It was none: everything is as before. */
  undo(): Promise<void>;
  /** It succeeded: failures of these subjects are forgotten, the others' are as before. */
  succeed(forgotten: readonly AttemptSubject[]): Promise<void>;
}

/** Throws `too_many_attempts` with the time to wait. An attempt without `undo` or `succeed` has failed. */
export async function beginAttempt(
  { store, clock }: Pick<ControlContext, "store" | "clock">,
  subjects: readonly AttemptSubject[],
): Promise<Attempt> {
  const start = await store.beginAttempt(subjects, clock.wallMs());
  if (!start.isAllowed) throw new GatewayError("too_many_attempts", { retryAfterMs: start.waitMs });
  return attemptOf(store, start.counted);
}

function attemptOf(store: ControlContext["store"], counted: readonly CountedAttempt[]): Attempt {
  return {
    counted,
    undo: () => store.undoAttempt(counted),
    async succeed(forgotten) {
      const names = forgotten.map(({ subject }) => subject);
      await store.clearAttempts(names);
      await store.undoAttempt(counted.filter(({ subject }) => !names.includes(subject)));
    },
  };
}

/** Two attempts that were begun one after the other, as one. */
export function bothOf({ store }: Pick<ControlContext, "store">, one: Attempt, other: Attempt): Attempt {
  return attemptOf(store, [...one.counted, ...other.counted]);
}
