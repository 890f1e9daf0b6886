/**
 * Joins the metrics of all processes of a cluster in one answer. The process that is asked forwards the
 * question to the primary, which collects and joins everyone's text. Time is bounded: a process that does not
 * answer is missing, and shown as down.
 * Series carry the label `process`, a number from 1 that the replacement of a dead process takes over. They
 * are not summed, because a restarted process would make the sums fall.
 */
import type { Cluster, Worker } from "node:cluster";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { type FamilyText, joinFamilies, labelText } from "../../lib/telemetry/metrics-text.ts";

/** Returns one process's metrics; `constant` holds labels for all of its series. */
export type OwnFamilies = (constant: string) => readonly FamilyText[];

/** Returns the joined text. Never rejects. */
export type GatherMetrics = () => Promise<string>;

/** How long the primary waits for the processes, and a process for the primary. Milliseconds. */
const partsMs = 1_000;
const textMs = 1_500;

/**
 * From a worker: `gather` requests everything, `part` is its own share. From the primary: `ask` requests a
 * share, `text` is the joined result.
 */
type Message =
  | { readonly plaza: "metrics gather" }
  | { readonly plaza: "metrics ask"; readonly round: number; readonly process: number }
  | { readonly plaza: "metrics part"; readonly round: number; readonly families: readonly FamilyText[] }
  | { readonly plaza: "metrics text"; readonly text: string };

function isMessage(message: unknown): message is Message {
  const kind = (message as { plaza?: unknown } | null)?.plaza;
  return typeof kind === "string" && kind.startsWith("metrics ");
}

const processLabel = (number: number): string => labelText(["process"], [String(number)]);

/** For a single process. */
export function gatherAlone(own: OwnFamilies): GatherMetrics {
  return () => Promise.resolve(joinFamilies([own(processLabel(1))]));
}

/** The messaging of a child process, as used by `gatherThroughPrimary`. */
export interface PrimaryLink {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** Messages to the primary are dropped when it is gone. */
const primaryLink: PrimaryLink = {
  send: (message) => void process.send?.(message, undefined, {}, () => {}),
  onMessage: (listener) => void process.on("message", listener),
};

/** For a process of a cluster. If the primary does not answer in time, it returns only its own metrics. */
export function gatherThroughPrimary(
  own: OwnFamilies,
  link: PrimaryLink = primaryLink,
  waitMs = textMs,
): GatherMetrics {
  let number = 0;
  let asking: Promise<string> | undefined;
  let onText: ((text: string) => void) | undefined;

  link.onMessage((message) => {
    if (!isMessage(message)) return;
    if (message.plaza === "metrics ask") {
      number = message.process;
      link.send({
        plaza: "metrics part",
        round: message.round,
        families: own(processLabel(number)),
      } satisfies Message);
    } else if (message.plaza === "metrics text") {
      onText?.(message.text);
    }
  });

  async function ask(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    onText = resolve;
    const timer = setTimeout(() => resolve(joinFamilies([own(processLabel(number))])), waitMs);
    link.send({ plaza: "metrics gather" } satisfies Message);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      onText = undefined;
      asking = undefined;
    }
  }

  return () => {
    asking ??= ask();
    return asking;
  };
}

/** One round of collecting metrics. */
interface Round {
  readonly number: number;
  readonly waiting: Set<Worker>;
  readonly parts: (readonly FamilyText[])[];
  /** Workers, or callers within the primary. */
  readonly askers: Set<Worker | ((text: string) => void)>;
  readonly timer: NodeJS.Timeout;
}

/**
 * For the primary, before it forks: numbers the processes, collects their metrics and answers their requests
 * and its own. One round at a time.
 */
export function answerWorkers(cluster: Pick<Cluster, "on">, waitMs = partsMs): GatherMetrics {
  const numbers = new Map<Worker, number>();
  const registry = createRegistry();
  const deaths = registry
    .counter({ name: "plaza_worker_deaths_total", help: "Serving processes that ended and were replaced." })
    .with();
  let round: Round | undefined;
  let rounds = 0;
  let up = new Map<number, boolean>();
  registry.gauge({
    name: "plaza_process_up",
    help: "1 for a serving process that told its metrics in time, 0 for one that did not.",
    labels: [{ name: "process" }],
    read(set) {
      for (const [number, isUp] of up) set(isUp ? 1 : 0, String(number));
    },
  });

  function freeNumber(): number {
    const taken = new Set(numbers.values());
    let number = 1;
    while (taken.has(number)) number += 1;
    return number;
  }

  // A worker whose channel is closing cannot receive messages; its exit follows.
  const send = (worker: Worker, message: Message): void => {
    if (worker.isConnected()) worker.send(message, undefined, () => {});
  };

  function finish(ended: Round): void {
    if (round !== ended) return;
    clearTimeout(ended.timer);
    round = undefined;
    up = new Map([...numbers].map(([worker, number]) => [number, !ended.waiting.has(worker)]));
    const text = joinFamilies([registry.families(""), ...ended.parts]);
    for (const asker of ended.askers) {
      if (typeof asker === "function") asker(text);
      else send(asker, { plaza: "metrics text", text });
    }
  }

  function ask(asker: Worker | ((text: string) => void)): void {
    if (round === undefined) begin(asker);
    else round.askers.add(asker);
  }

  function begin(asker: Worker | ((text: string) => void)): void {
    rounds += 1;
    const begun: Round = {
      number: rounds,
      waiting: new Set(numbers.keys()),
      parts: [],
      askers: new Set([asker]),
      timer: setTimeout(() => finish(begun), waitMs),
    };
    round = begun;
    for (const [worker, number] of numbers) {
      send(worker, { plaza: "metrics ask", round: begun.number, process: number });
    }
    if (numbers.size === 0) finish(begun);
  }

  function leave(worker: Worker): void {
    round?.askers.delete(worker);
    if (round?.waiting.delete(worker) && round.waiting.size === 0) finish(round);
  }

  cluster.on("fork", (worker: Worker) => numbers.set(worker, freeNumber()));
  cluster.on("exit", (worker: Worker) => {
    // An intended exit does not count.
    if (!worker.exitedAfterDisconnect) deaths.add();
    numbers.delete(worker);
    leave(worker);
  });
  cluster.on("message", (worker: Worker, message: unknown) => {
    if (!isMessage(message)) return;
    if (message.plaza === "metrics gather") {
      ask(worker);
    } else if (message.plaza === "metrics part" && message.round === round?.number) {
      if (!round.waiting.delete(worker)) return;
      round.parts.push(message.families);
      if (round.waiting.size === 0) finish(round);
    }
  });
  return () => new Promise(ask);
}
