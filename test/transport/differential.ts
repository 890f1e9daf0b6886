/**
 * Sends the same bytes to both listeners and compares what becomes of the connections.
 *
 * node:http starts a request that was sent ahead before the one before it is answered, and drops the answer
 * that is under way when what follows is not HTTP; a connection of our own serves one after the other. So
 * node:http gets the messages one by one. Where the two still differ, it gets the bytes one by one and in
 * other pieces, and one of these must end as the connection of our own did.
 */
import assert from "node:assert/strict";
import type { FakeSocket } from "./fake-socket.ts";
import type { FuzzCase } from "./grammar.ts";
import { createListener, type Listener, type Outcome, outcomeOf, quiet } from "./listeners.ts";

const listeners = { node: createListener("node"), own: createListener("own") };

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts), bytes.length].sort((a, b) => a - b);
  const pieces: Buffer[] = [];
  let start = 0;
  for (const end of ends) {
    if (end > start && end <= bytes.length) pieces.push(bytes.subarray(start, end));
    start = Math.max(start, Math.min(end, bytes.length));
  }
  return pieces;
}

interface Run {
  readonly socket: FakeSocket;
  readonly pieces: readonly Buffer[];
  /** Offsets after which the server had written more. */
  readonly answeredAt: number[];
}

/** What became of a connection before its caller ended its side, and after. */
type Outcomes = readonly [before: Outcome, after: Outcome];

/** Sends all pieces of each run in step, then ends the callers' sides. */
async function play(runs: readonly Run[]): Promise<Outcomes[]> {
  const most = Math.max(...runs.map(({ pieces }) => pieces.length));
  const sentBytes = runs.map(() => 0);
  const textBytes = runs.map(() => 0);
  for (let step = 0; step < most; step += 1) {
    for (const [index, { socket, pieces }] of runs.entries()) {
      const piece = pieces[step];
      if (piece === undefined) continue;
      socket.deliver(piece);
      sentBytes[index] = (sentBytes[index] ?? 0) + piece.length;
    }
    await quiet();
    for (const [index, { socket, answeredAt }] of runs.entries()) {
      if (socket.text.length > (textBytes[index] ?? 0)) answeredAt.push(sentBytes[index] ?? 0);
      textBytes[index] = socket.text.length;
    }
  }
  // After a broken body a connection of our own reads on for a while, so that its answer is not lost.
  const before = runs.map(({ socket }) => ({ ...outcomeOf(socket), isClosed: false }));
  for (const { socket } of runs) socket.finish();
  await quiet();
  return runs.map(({ socket }, index) => [before[index] as Outcome, outcomeOf(socket)]);
}

const runOn = (listener: Listener, bytes: Buffer, cuts: readonly number[]): Run => ({
  socket: listener.open(),
  pieces: piecesOf(bytes, cuts),
  answeredAt: [],
});

const isSame = (one: unknown, other: unknown): boolean => {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
};

/** A case in which the two differ. */
export interface Difference {
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
  readonly own: Outcomes;
  readonly node: Outcomes;
}

/** All ways to begin with the first of these offsets. */
const beginnings = (ends: readonly number[]): (readonly number[])[] => [
  [],
  ...ends.map((_, last) => ends.slice(0, last + 1)),
];

/**
 * Undefined: some timing of the same bytes makes node:http do the same. The first messages one by one, as
 * they are served here, and the rest at once, as it is handed over.
 */
export async function differenceOf(
  bytes: Buffer,
  cuts: readonly number[],
  boundaries: readonly number[] = [],
): Promise<Difference | undefined> {
  const run = (ends: readonly number[]): Run => runOn(listeners.node, bytes, [...cuts, ...ends]);
  const [own, ...tried] = await play([runOn(listeners.own, bytes, cuts), ...beginnings(boundaries).map(run)]);
  assert.ok(own !== undefined);
  if (tried.some((outcomes) => isSame(own, outcomes))) return undefined;
  const byBytes = runOn(
    listeners.node,
    bytes,
    Array.from(bytes, (_, at) => at + 1),
  );
  const [node] = await play([byBytes]);
  assert.ok(node !== undefined);
  if (isSame(own, node)) return undefined;
  // Where an answer came before the end of its message, the next message may begin anywhere.
  const later = beginnings(byBytes.answeredAt).flatMap((ends) => [
    ends,
    ...Array.from(bytes, (_, at) => [...ends, at]),
  ]);
  const others = await play(later.map(run));
  return others.some((outcomes) => isSame(own, outcomes)) ? undefined : { bytes, cuts, own, node };
}

/** Runs the cases side by side. Returns those in which the two differ. */
export async function compare(cases: readonly FuzzCase[]): Promise<Difference[]> {
  const runs = cases.flatMap(({ bytes, boundaries, cuts }) => [
    runOn(listeners.own, bytes, cuts),
    runOn(listeners.node, bytes, [...cuts, ...boundaries]),
  ]);
  const outcomes = await play(runs);
  const differences: Difference[] = [];
  for (const [index, { bytes, boundaries, cuts }] of cases.entries()) {
    const own = outcomes[index * 2];
    const node = outcomes[index * 2 + 1];
    assert.ok(own !== undefined && node !== undefined);
    if (isSame(own, node)) continue;
    const difference = await differenceOf(bytes, cuts, boundaries);
    if (difference !== undefined) differences.push(difference);
  }
  for (const transport of ["node", "own"] as const) {
    const left = listeners[transport].connections.open;
    assert.equal(left, 0, `${left} connections were left open by ${transport}`);
  }
  return differences;
}

/** Takes away bytes and cuts as long as the two differ. */
export async function minimise(found: Difference): Promise<Difference> {
  let least = found;
  const isSmaller = async (bytes: Buffer, cuts: readonly number[]): Promise<boolean> => {
    const next = await differenceOf(bytes, cuts);
    if (next !== undefined) least = next;
    return next !== undefined;
  };
  for (const cut of found.cuts)
    await isSmaller(
      least.bytes,
      least.cuts.filter((one) => one !== cut),
    );
  for (let length = least.bytes.length >> 1; length > 0; length >>= 1) {
    for (let at = 0; at < least.bytes.length; ) {
      const bytes = Buffer.concat([least.bytes.subarray(0, at), least.bytes.subarray(at + length)]);
      const cuts = least.cuts.map((cut) => (cut > at ? Math.max(at, cut - length) : cut));
      if (!(await isSmaller(bytes, cuts))) at += length;
    }
  }
  return least;
}

/** For people: the bytes and what either did with them. */
export function shown({ bytes, cuts, own, node }: Difference): string {
  const outcome = ([before, after]: Outcomes): string =>
    JSON.stringify(isSame(before, after) ? [before] : [before, after]);
  return [
    `bytes ${JSON.stringify(bytes.toString("latin1"))} cut at ${JSON.stringify(cuts)}`,
    `  own  ${outcome(own)}`,
    `  node ${outcome(node)}`,
  ].join("\n");
}
