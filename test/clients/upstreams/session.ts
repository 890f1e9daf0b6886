/**
 * What a scripted upstream remembers of one run of a client: which calls and sealed thoughts it issued, so
 * that it can refuse whatever was altered on the way back. The same for every wire.
 */
import { isDeepStrictEqual } from "node:util";
import type { Tokens } from "../../wire/tokens.ts";
import { type Step, task, type Work } from "./task.ts";
import { type Call, callFor, type Offer } from "./tools.ts";
import { allText } from "./values.ts";

/** A call of the script, as it was issued. */
export interface IssuedCall extends Call {
  readonly id: string;
  readonly step: number;
  readonly work: Work;
}

/** What a client sent back for a call. */
export interface Result {
  readonly id: string;
  readonly content: unknown;
}

/** Thrown for a request that a strict upstream refuses. */
export class Refusal extends Error {
  readonly status: number;
  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

export interface Session {
  readonly folder: string;
  /** Calls of a step, made with the tools offered now; a repeated request gets the same ids. */
  issue(step: number, offers: readonly Offer[]): readonly IssuedCall[];
  /**
   * The issued call of this id. An id that was never issued is refused, unless this run's client leaves ids
   * out: then a made-up id is from now on another name of the call that is `like` it.
   */
  find(id: string, like?: { readonly name: unknown; readonly args: unknown }): IssuedCall;
  /** The newest issued call like this, for wires whose clients may leave the id out. */
  match(name: unknown, args: unknown): IssuedCall;
  /** Sealed thought of a step, as a base64 text that cannot be guessed. */
  seal(step: number): string;
  /** The step of a sealed thought; refuses one that is not from here. */
  unseal(seal: string): number;
  /** Steps whose sealed thoughts were given out, and those that came back, each time that they did. */
  readonly sealed: readonly number[];
  readonly unsealed: readonly number[];
  /** The next step, given all results so far; refuses one without what its command printed. */
  next(results: readonly Result[]): { readonly index: number; readonly step: Step };
  /** What is reported as usage for this step. Differs by step, so that sums show a missing one. */
  tokens(step: number): Tokens;
}

let sessions = 0;

/** How a client departs from what clients do. */
export interface Habits {
  /** It sends calls and results back without their ids, as Gemini's format allows. */
  readonly dropsCallIds?: boolean | undefined;
}

/** A session for a client that works in `folder`. */
export function newSession(folder: string, { dropsCallIds = false }: Habits = {}): Session {
  const mark = `${process.pid.toString(36)}${(++sessions).toString(36)}`;
  const issued = new Map<string, IssuedCall>();
  const seals = new Map(
    task.map((_, step) => [
      Buffer.from(`thought ${step} of ${mark}, sealed + kept / whole`).toString("base64"),
      step,
    ]),
  );
  const match = (name: unknown, args: unknown): IssuedCall => {
    const found = [...issued.values()].findLast(
      (call) => call.name === name && isDeepStrictEqual(call.args, args),
    );
    if (found === undefined) throw new Refusal(`"${name}" was never called with ${JSON.stringify(args)}`);
    return found;
  };
  const find: Session["find"] = (id, like) => {
    const call = issued.get(id);
    if (call !== undefined) return call;
    if (!dropsCallIds || like === undefined) throw new Refusal(`call id "${id}" was never issued here`);
    const meant = match(like.name, like.args);
    issued.set(id, meant);
    return meant;
  };
  const sealed: number[] = [];
  const unsealed: number[] = [];
  return {
    folder,
    find,
    sealed,
    unsealed,
    match,
    issue(step, offers) {
      // A call that declares no tools asks for something beside the task.
      const works = offers.length === 0 ? [] : (task[step] as Step).works;
      const calls = works.map((work, index) => {
        const id = `call_${mark}_${step}_${index}`;
        return { ...callFor(work, offers, folder), id, step, work };
      });
      for (const call of calls) issued.set(call.id, call);
      return calls;
    },
    seal(step) {
      sealed.push(step);
      return [...seals.keys()][step] as string;
    },
    unseal(seal) {
      const step = seals.get(seal);
      if (step === undefined) throw new Refusal(`a sealed thought was altered: "${seal.slice(0, 80)}"`);
      unsealed.push(step);
      return step;
    },
    next(results) {
      const done = results.map(({ id, content }) => {
        const call = find(id);
        const said = allText(content);
        if (call.work.kind === "run" && !said.includes(call.work.prints))
          throw new Refusal(`the result of "${call.work.command}" is: ${said.slice(0, 300)}`);
        return call.step;
      });
      const index = Math.min(Math.max(-1, ...done) + 1, task.length - 1);
      return { index, step: task[index] as Step };
    },
    tokens: (step) => ({
      input: 1_000 + step * 100,
      cached: step * 90,
      output: 40 + step,
      reasoning: 7 + step,
    }),
  };
}
