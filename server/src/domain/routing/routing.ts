/**
 * Pure: which of a model's deployments gets the next call. The lowest priority number that has
 * something usable, by and by where that has only just come back; within it the one an affinity hash
 * points to (weighted rendezvous), else the better of two weighted draws. Knows neither why
 * something is usable nor what time it is.
 */

/** What stays the same about a way to serve a model. */
export interface RoutingTarget {
  /** Lower is used first. */
  readonly priority: number;
  /** Share of the calls of its priority; 0 = only when nothing else of its priority is usable. */
  readonly weight: number;
  /** 32-bit number that identifies it, the same in every process (`seedOf`). */
  readonly seed: number;
  /** True when callers may be bound to it, so that its prompt cache keeps working. */
  readonly isBinding: boolean;
}

/** How a target is at the moment. Kept by whoever watches; the same objects may be used for every choice. */
export interface Standing {
  /** True when it may get this call at all. */
  readonly isUsable: boolean;
  /** True when this call would have to wait there. */
  readonly isFull: boolean;
  /** True when this call would wait there much longer than elsewhere. Used when no other has room. */
  readonly isSlow: boolean;
  /** Part of its weight that counts now, above 0 to 1: less than 1 while it returns from a failure. */
  readonly share: number;
  /** Part of its latest calls that went well, 0 to 1. */
  readonly health: number;
  /** Moving average, milliseconds; 0 = not known. */
  readonly firstTokenMs: number;
  readonly inFlight: number;
}

interface Group {
  /** Indexes of the targets with a weight, and of the last resorts. */
  readonly weighted: readonly number[];
  readonly lastResort: readonly number[];
}

/** A model's targets, sorted for choosing. Made once; choosing allocates nothing. */
export interface RoutingTable {
  readonly targets: readonly RoutingTarget[];
  /** By ascending priority. */
  readonly groups: readonly Group[];
  /** Room to work in: what each target counts for during one choice. */
  readonly scratch: Float64Array;
}

export function createRoutingTable(targets: readonly RoutingTarget[]): RoutingTable {
  const priorities = [...new Set(targets.map(({ priority }) => priority))].sort((a, b) => a - b);
  const groups = priorities.map((priority) => {
    const indexes = targets.flatMap((target, index) => (target.priority === priority ? [index] : []));
    const isWeighted = (index: number) => (targets[index]?.weight ?? 0) > 0;
    return {
      weighted: indexes.filter(isWeighted),
      lastResort: indexes.filter((index) => !isWeighted(index)),
    };
  });
  return { targets, groups, scratch: new Float64Array(targets.length) };
}

export interface RoutingRequest {
  /** 32-bit hash of the caller; undefined = no particular caller. */
  readonly affinity: number | undefined;
  /** Numbers in [0, 1). */
  readonly random: () => number;
}

/**
 * Index of the target to use; -1 when none is usable. `standings` are in the order of the table's targets.
 */
export function chooseTarget(
  table: RoutingTable,
  standings: readonly Standing[],
  requested: RoutingRequest,
): number {
  let passed = -1;
  for (const group of table.groups) {
    const { weighted, lastResort } = group;
    let chosen = chooseAmong(table, weighted, standings, requested);
    if (chosen < 0) chosen = chooseAmong(table, lastResort, standings, requested);
    if (chosen < 0 || (passed >= 0 && standings[chosen]?.isFull === true)) continue;
    if (!isPassedBy(group, chosen, standings, requested)) return chosen;
    if (passed < 0) passed = chosen;
  }
  return passed;
}

/**
 * Those that return leave part of their calls to later priorities too, or the first
 * success would bring all of them back.
 */
function isPassedBy(
  { weighted, lastResort }: Group,
  chosen: number,
  standings: readonly Standing[],
  { affinity, random }: RoutingRequest,
): boolean {
  let share = standings[chosen]?.share ?? 1;
  for (const members of share < 1 ? [weighted, lastResort] : []) {
    for (const index of members) {
      const other = standings[index];
      if (other?.isUsable === true && !other.isFull && other.share > share) share = other.share;
    }
  }
  if (share >= 1) return false;
  // The same callers stay with it while its share grows.
  return (affinity === undefined ? random() : mix(affinity ^ 0x9e3779b9) / 2 ** 32) >= share;
}

function chooseAmong(
  table: RoutingTable,
  members: readonly number[],
  standings: readonly Standing[],
  requested: RoutingRequest,
): number {
  if (members.length === 0) return -1;
  // Slow ones are asked only when no other has room, those without room only when all are:
  // then the call waits where it belongs.
  const isCounted =
    count(table, members, standings, "quick") > 0 ||
    count(table, members, standings, "free") > 0 ||
    count(table, members, standings, "any") > 0;
  if (!isCounted) return -1;
  if (requested.affinity !== undefined) {
    const bound = rendezvous(table, members, requested.affinity);
    if (table.targets[bound]?.isBinding === true) return bound;
    for (const index of members) if (table.targets[index]?.isBinding === true) table.scratch[index] = 0;
  }
  return betterOfTwo(table, members, standings, requested.random);
}

/** Fills the scratch with what each member counts for; how many count at all. */
function count(
  { targets, scratch }: RoutingTable,
  members: readonly number[],
  standings: readonly Standing[],
  which: "quick" | "free" | "any",
): number {
  let counted = 0;
  for (const index of members) {
    const standing = standings[index] as Standing;
    const isIn =
      standing.isUsable && (which === "any" || (!standing.isFull && (which === "free" || !standing.isSlow)));
    // A last resort has no weight; among themselves they share evenly.
    scratch[index] = isIn ? ((targets[index] as RoutingTarget).weight || 1) * standing.share : 0;
    if (isIn) counted += 1;
  }
  return counted;
}

/** Mixes a 32-bit number so that every bit depends on every bit (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A target's seed, from the words that name it. */
export function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/**
 * Weighted rendezvous hashing: each target draws, by hash and not by chance, from an exponential
 * distribution of its weight, and the smallest draw wins. When a target leaves, only those bound to it
 * move; its weight decides how many are.
 */
function rendezvous(
  { targets, scratch }: RoutingTable,
  members: readonly number[],
  affinity: number,
): number {
  let best = -1;
  let bestDraw = Number.POSITIVE_INFINITY;
  for (const index of members) {
    const weight = scratch[index] as number;
    if (weight <= 0) continue;
    const uniform = (mix(affinity ^ (targets[index] as RoutingTarget).seed) + 0.5) / 2 ** 32;
    const draw = -Math.log(uniform) / weight;
    if (draw >= bestDraw) continue;
    best = index;
    bestDraw = draw;
  }
  return best;
}

/** Two draws by weight, with replacement, so that a slow target is still looked at now and then. */
function betterOfTwo(
  table: RoutingTable,
  members: readonly number[],
  standings: readonly Standing[],
  random: () => number,
): number {
  let total = 0;
  for (const index of members) total += table.scratch[index] as number;
  const first = draw(table, members, random() * total);
  if (members.length === 1) return first;
  const second = draw(table, members, random() * total);
  return first === second || !isClearlyBetter(table, standings, second, first) ? first : second;
}

/** The member at this point of the summed weights. */
function draw({ scratch }: RoutingTable, members: readonly number[], point: number): number {
  let left = point;
  let last = -1;
  for (const index of members) {
    const weight = scratch[index] as number;
    if (weight <= 0) continue;
    last = index;
    left -= weight;
    if (left < 0) return index;
  }
  return last;
}

/** Less than this much better is noise, and the weights decide. */
const noise = 0.8;
/** How much one call in flight per unit of weight makes a target less attractive. */
const pressureOfOne = 0.1;

/** Expected wait, dearer for calls under way and for failures. The ratio of two costs is what matters. */
function isClearlyBetter(
  table: RoutingTable,
  standings: readonly Standing[],
  index: number,
  than: number,
): boolean {
  const one = standings[index] as Standing;
  const other = standings[than] as Standing;
  const knowsBoth = one.firstTokenMs > 0 && other.firstTokenMs > 0;
  const oneWaits = knowsBoth ? one.firstTokenMs : 1;
  const otherWaits = knowsBoth ? other.firstTokenMs : 1;
  // In flight per weight, in units of the heavier of the two, so that a scale of weights changes nothing.
  const oneWeight = table.scratch[index] as number;
  const otherWeight = table.scratch[than] as number;
  const heavier = Math.max(oneWeight, otherWeight);
  const oneCost =
    (oneWaits * (1 + (pressureOfOne * one.inFlight * heavier) / oneWeight)) / square(one.health);
  const otherCost =
    (otherWaits * (1 + (pressureOfOne * other.inFlight * heavier) / otherWeight)) / square(other.health);
  return oneCost < otherCost * noise;
}

/** Never 0, so that a target without a success can still be compared. */
function square(health: number): number {
  const bounded = Math.max(health, 0.01);
  return bounded * bounded;
}
