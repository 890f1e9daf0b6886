/**
 * The process's side of the health listener (`thread.ts`): starts its thread and tells it what it
 * cannot see for itself. Knows messages, not what is answered.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Log } from "../../lib/telemetry/log.ts";
import type { GatherMetrics } from "../operator/metrics-gather.ts";

/** What the thread is started with. */
export interface HealthThreadStart {
  readonly listen: { readonly host: string; readonly port: number };
  /** A serving process that is silent for longer stands still. */
  readonly stallMs: number;
  /** Either opens `/metrics`; without both it is for programs on this machine. */
  readonly operatorToken: string | undefined;
  readonly metricsToken: string | undefined;
}

export type ToHealthThread =
  | { readonly kind: "beat"; readonly pid: number; readonly notReady: string | undefined }
  | { readonly kind: "gone"; readonly pid: number }
  | { readonly kind: "stopping" }
  | { readonly kind: "figures"; readonly text: string };

export type FromHealthThread =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "figures" };

export interface HealthListener {
  /** The process with this id serves; `notReady`: why it should get no traffic, undefined = it should. */
  beat(pid: number, notReady: string | undefined): void;
  gone(pid: number): void;
  /** From now on not ready. */
  stopping(): void;
  /** Where figures come from, once there are any. */
  figuresFrom(gather: GatherMetrics): void;
}

/** From a worker of a cluster to its primary. */
interface BeatMessage {
  readonly plaza: "beat";
  readonly notReady?: string | undefined;
}

const beatMs = 250;
/** Readiness is looked at with every so many beats. */
const beatsPerLook = 4;

function isBeat(message: unknown): message is BeatMessage {
  return (message as { plaza?: unknown } | null)?.plaza === "beat";
}

/** Tells from now on that this event loop turns, and what was last known of its readiness. */
export function startBeats(
  readiness: () => Promise<string | undefined>,
  beat: (notReady: string | undefined) => void,
): void {
  let beats = 0;
  let isLooking = false;
  let notReady: string | undefined = "starting";
  const look = async (): Promise<void> => {
    isLooking = true;
    notReady = await readiness();
    isLooking = false;
  };
  const turn = (): void => {
    if (beats % beatsPerLook === 0 && !isLooking) void look().then(() => beat(notReady));
    beats += 1;
    beat(notReady);
  };
  setInterval(turn, beatMs).unref();
  turn();
}

/** For a worker: to the primary, which has the listener. What cannot be sent any more is not. */
export function beatToPrimary(notReady: string | undefined): void {
  process.send?.({ plaza: "beat", notReady } satisfies BeatMessage, undefined, {}, () => {});
}

/** The part of a cluster that `hearWorkers` uses. */
interface WorkerSource {
  on(
    event: "message" | "exit",
    listener: (worker: { process: { pid?: number } }, message: unknown) => void,
  ): unknown;
}

/** For the primary: passes on what its workers tell. */
export function hearWorkers(cluster: WorkerSource, listener: HealthListener): void {
  cluster.on("message", ({ process }, message) => {
    if (isBeat(message)) listener.beat(process.pid ?? 0, message.notReady);
  });
  cluster.on("exit", ({ process }) => listener.gone(process.pid ?? 0));
}

/** Rejects with the system's words when the address cannot be had. */
export async function startHealthListener(start: HealthThreadStart, log: Log): Promise<HealthListener> {
  const thread = new Worker(new URL("./thread.ts", import.meta.url), { workerData: start });
  const post = (message: ToHealthThread): void => thread.postMessage(message);
  const [first] = (await once(thread, "message")) as [FromHealthThread];
  if (first.kind === "failed") {
    await thread.terminate();
    throw new Error(`PLAZA_HEALTH_LISTEN cannot be listened on: ${first.message}`);
  }
  if (first.kind === "listening") log.info("health_listening", { port: first.port });
  let gather: GatherMetrics | undefined;
  const giveFigures = (): void => {
    void gather?.().then((text) => post({ kind: "figures", text }));
  };
  thread.on("message", ({ kind }: FromHealthThread) => {
    if (kind === "figures") giveFigures();
  });
  // Never the reason why a process that has nothing left to do does not end.
  thread.unref();
  return {
    beat: (pid, notReady) => post({ kind: "beat", pid, notReady }),
    gone: (pid) => post({ kind: "gone", pid }),
    stopping: () => post({ kind: "stopping" }),
    figuresFrom(from) {
      gather = from;
      // There are some from now on, whenever somebody looks.
      giveFigures();
    },
  };
}
