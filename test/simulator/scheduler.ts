/**
 * Virtual time: a queue of events that run one after another. Events of a paused process wait until it
 * resumes; events of a dead one are dropped.
 */

/** A process whose events can be paused or dropped. */
export interface Party {
  isDead: boolean;
  isPaused: boolean;
  /** Events that were due while it was paused. */
  readonly missed: (() => void)[];
}

interface Event {
  readonly atMs: number;
  /** Breaks ties: first scheduled, first run. */
  readonly place: number;
  readonly party: Party | "alone" | undefined;
  readonly act: () => void;
}

export interface Scheduler {
  /** Virtual milliseconds since the start. */
  readonly nowMs: number;
  /** Number of events run. */
  readonly steps: number;
  /** Schedules an event, in whole milliseconds from now. `alone`: it only schedules other events. */
  after(ms: number, party: Party | "alone" | undefined, act: () => void): void;
  /** Runs the next event and everything it triggers. False when there is none. */
  step(): Promise<boolean>;
  /** Announces work at the end of this event loop turn that belongs to the current event. */
  expectTurn(): void;
  /** Runs events until virtual time has advanced by `ms`. */
  run(ms: number): Promise<void>;
  wake(party: Party): void;
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.place < b.place);

/** Adds to a binary heap, smallest first. */
function push(heap: Event[], event: Event): void {
  let place = heap.length;
  heap.push(event);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above] as Event;
    if (!isBefore(event, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    let below = 2 * place + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) below++;
    if (!isBefore(heap[below] as Event, last)) break;
    heap[place] = heap[below] as Event;
    place = below;
  }
  heap[place] = last;
  return first;
}

/** `checkStep` is called after each event and everything it triggered. */
export function createScheduler(checkStep: () => void): Scheduler {
  const heap: Event[] = [];
  let nowMs = 0;
  let steps = 0;
  let places = 0;
  let isTurnExpected = false;

  /** Waits until all pending promises and end-of-turn callbacks have run. */
  async function settleDown(): Promise<void> {
    do {
      isTurnExpected = false;
      await new Promise(setImmediate);
    } while (isTurnExpected);
  }

  async function step(): Promise<boolean> {
    const event = pop(heap);
    if (event === undefined) return false;
    nowMs = Math.max(nowMs, event.atMs);
    const { party } = event;
    if (typeof party === "object") {
      if (party.isDead) return true;
      if (party.isPaused) {
        party.missed.push(event.act);
        return true;
      }
    }
    steps++;
    event.act();
    if (party !== "alone") await settleDown();
    checkStep();
    return true;
  }

  const after: Scheduler["after"] = (ms, party, act) =>
    push(heap, { atMs: nowMs + ms, place: places++, party, act });

  return {
    get nowMs() {
      return nowMs;
    },
    get steps() {
      return steps;
    },
    after,
    step,
    expectTurn() {
      isTurnExpected = true;
    },
    async run(ms) {
      const untilMs = nowMs + ms;
      while (heap[0] !== undefined && heap[0].atMs <= untilMs) await step();
      nowMs = untilMs;
    },
    wake(party) {
      party.isPaused = false;
      for (const act of party.missed.splice(0)) after(0, party, act);
    },
  };
}
