/**
 * Pure: which of a model's deployments gets the next call. The lowest priority number with a usable target
 * wins, gradually if that target is just returning. Within a priority, the affinity hash decides (weighted
 * rendezvous hashing), else the better of two weighted draws. Knows neither the time nor why a target is
 * usable.
 */

/** The constant part of a deployment. */
export interface RoutingTarget {
  /** Lower is used first. */
  readonly priority: number;
  /** Share of the calls of its priority; 0: only when nothing else of its priority is usable. */
  readonly weight: number;
  /** A 32-bit number that identifies it, the same in every process (`seedOf`). */
  readonly seed: number;
  /** True when callers should stay with it, so that its prompt cache keeps working. */
  readonly isBinding: boolean;
}

/** The current state of a target. The caller maintains it and may reuse the objects for every choice. */
export interface Standing {
  /** True when it may get this call. */
  readonly isUsable: boolean;
  /** True when this call would have to wait there. */
  readonly isFull: boolean;
  /** True when this call would wait much longer there than elsewhere. Used only when no other has room. */
  readonly isSlow: boolean;
  /** The share of its weight that counts, above 0 to 1: less than 1 while it returns after a failure. */
  readonly share: number;
  /** Share of its recent calls that succeeded, 0 to 1. */
  readonly health: number;
  /** Moving average in milliseconds; 0: unknown. */
  readonly firstTokenMs: number;
  readonly inFlight: number;
}

interface Group {
  /** Indexes of the targets with a weight, and of the others, which are the last resort. */
  readonly weighted: readonly number[];
  readonly lastResort: readonly number[];
}

/** A model's targets, sorted for choosing. Built once; choosing allocates nothing. */
export interface RoutingTable {
  readonly targets: readonly RoutingTarget[];
  /** By ascending priority. */
  readonly groups: readonly Group[];
  /** Working memory: each target's weight during one choice. */
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
  /** A 32-bit hash of the caller; undefined: no affinity. */
  readonly affinity: number | undefined;
  /** Numbers in [0, 1). */
  readonly random: () => number;
}

/**
 * Index of the chosen target; -1 when none is usable. `standings` are in the order of the table's targets.
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
 * True when a returning priority is skipped for this call. It leaves some calls to later priorities;
 * otherwise its first success would bring all calls back at once.
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
  // Slow targets are used only when no other has room, and full ones only when all are full, so that the call
  // waits there.
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

/** Fills the working memory with each member's weight; returns how many count. */
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
    // Last resorts have no weight and share evenly.
    scratch[index] = isIn ? ((targets[index] as RoutingTarget).weight || 1) * standing.share : 0;
    if (isIn) counted += 1;
  }
  return counted;
}

/** Mixes a 32-bit number so that every bit depends on every other (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A target's seed, from its name. */
export function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/**
 * Weighted rendezvous hashing: each target draws a number, derived from the hash, from an exponential
 * distribution with its weight, and the smallest wins. When a target leaves, only its callers move; its
 * weight decides how many it has.
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

/** Two draws by weight, with replacement, so that a slow target still gets a call now and then. */
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

/** A smaller improvement is noise, and the weights decide. */
const noise = 0.8;
/** How much one call in flight per unit of weight makes a target less attractive. */
const pressureOfOne = 0.1;

/**
 * Compares the expected wait, increased by calls in flight and failures. Only the ratio of the two costs
 * matters.
 */
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
  // In flight per weight, in units of the larger weight, so that scaling all weights changes nothing.
  const oneWeight = table.scratch[index] as number;
  const otherWeight = table.scratch[than] as number;
  const heavier = Math.max(oneWeight, otherWeight);
  const oneCost =
    (oneWaits * (1 + (pressureOfOne * one.inFlight * heavier) / oneWeight)) / square(one.health);
  const otherCost =
    (otherWaits * (1 + (pressureOfOne * other.inFlight * heavier) / otherWeight)) / square(other.health);
  return oneCost < otherCost * noise;
}

/** Never 0, so that targets without a success can be compared. */
function square(health: number): number {
  const bounded = Math.max(health, 0.01);
  return bounded * bounded;
}
