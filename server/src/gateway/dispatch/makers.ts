/**
 * Keeps opaque reasoning with the upstream that made it: notes what an answer has, and cuts out of a request
 * what is known to be another's. Content of unknown origin passes unchanged.
 */
import { cutsOf } from "../../lib/json/spans.ts";
import { makerOf, noteMaker } from "../../protocols/payloads/makers.ts";
import type { AttemptEnd } from "./attempt/attempt.ts";
import type { DispatchState, MadeItems, Running } from "./state.ts";
import type { Piece } from "./without-offers.ts";

/**
 * Finds out who made what the request holds; undefined when it holds nothing opaque. Rejects never, and takes
 * at most as long as a look into the store may.
 */
export function findMakers({ context, request }: DispatchState): Promise<MadeItems> | undefined {
  const opaque = request.endpoint.opaque?.inRequest(request.fields, request.body);
  if (opaque === undefined) return undefined;
  const memory = context.memories.of(request.caller.key.accountId);
  const read = (): Map<number, string> =>
    new Map(
      opaque.found.flatMap(({ at, data }) => {
        const maker = makerOf(memory, data);
        return maker === undefined ? [] : [[at, maker] as const];
      }),
    );
  return (async () => {
    let makers = read();
    if (await memory.lookUp()) makers = read();
    return { name: opaque.name, items: opaque.items, makers };
  })();
}

/** What of a request is another upstream's. */
export function piecesOfOthers(made: MadeItems | undefined, upstreamId: string): readonly Piece[] {
  if (made === undefined) return [];
  const { name, items, makers } = made;
  const others = items.flatMap((_, at) => ((makers.get(at) ?? upstreamId) === upstreamId ? [] : [at]));
  if (others.length === 0) return [];
  const chosen = new Set(others);
  const members = items.map((item, at) => ({
    ...item,
    nameStart: item.start,
    nameEnd: item.start,
    name: String(at),
  }));
  const cuts = cutsOf(members, (member) => chosen.has(Number(member.name)));
  return cuts.map((cut, index) => ({ path: `${name}[${others[index]}]`, cut }));
}

/** Notes who made what an answer holds. */
export function noteMakers({ context, request }: DispatchState, { choice }: Running, end: AttemptEnd): void {
  const { opaque } = request.endpoint;
  if (opaque === undefined || (end.kind !== "answer" && end.kind !== "stream")) return;
  const last = end.kind === "answer" ? end.body : end.tail;
  const earlier = end.kind === "answer" ? [] : (end.lacking?.itemsDone ?? []);
  const said = [last, ...earlier.map((event) => Buffer.from(event))].flatMap((bytes) =>
    opaque.inAnswer(bytes),
  );
  if (said.length === 0) return;
  const memory = context.memories.of(request.caller.key.accountId);
  for (const data of said) noteMaker(memory, data, choice.live.live.upstream.id);
}
