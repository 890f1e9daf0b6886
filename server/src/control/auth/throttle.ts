/**
 * Slows down guessing: attempts are counted per target and per network in the store, so that all processes
 * count together. An attempt counts as failed from its start until it is known not to be.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { innermostAddress, parseAddress } from "../../lib/net/address.ts";
import type { AttemptSubject, CountedAttempt } from "../../store/people/people.ts";
import type { ControlContext } from "../context.ts";
import { digestOf } from "./secret-text.ts";

/**
 * Something that attempts are counted by. `kind` separates different guesses; `free` failures cause no wait.
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
 * How much of an address counts. `own`: an IPv4 address or an IPv6 /64. `home`: a /56, as for households.
 * `site`: a /48, as for companies, or an IPv4 /24. `region`: an IPv6 /32 or an IPv4 /16, shared by thousands.
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
 * The networks that contain an address, smallest first: the owner of one of them can use all of its
 * addresses.
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
  /** Undoes the count. */
  undo(): Promise<void>;
  /** It succeeded: clears the failures of these subjects and undoes the count of the others. */
  succeed(forgotten: readonly AttemptSubject[]): Promise<void>;
}

/**
 * Throws `too_many_attempts` with the time to wait. An attempt without `undo` or `succeed` counts as failed.
 */
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

/** Combines two attempts that were begun one after the other. */
export function bothOf({ store }: Pick<ControlContext, "store">, one: Attempt, other: Attempt): Attempt {
  return attemptOf(store, [...one.counted, ...other.counted]);
}
