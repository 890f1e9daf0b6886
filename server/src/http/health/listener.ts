/** The main thread's side of the health listener (`thread.ts`): starts the thread and sends it state. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Log } from "../../lib/telemetry/log.ts";
import type { GatherMetrics } from "../operator/metrics-gather.ts";

/** Start parameters of the thread. */
export interface HealthThreadStart {
  readonly listen: { readonly host: string; readonly port: number };
  /** A serving process that is silent for longer counts as stalled. Milliseconds. */
  readonly stallMs: number;
  /** Either token gives access to `/metrics`. With neither, only programs on this machine have access. */
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
  /** Reports a heartbeat of a process. `notReady`: why it should get no traffic, undefined = ready. */
  beat(pid: number, notReady: string | undefined): void;
  gone(pid: number): void;
  /** Reports that the process is stopping and no longer ready. */
  stopping(): void;
  /** Sets the source of the metrics. */
  figuresFrom(gather: GatherMetrics): void;
}

/** Heartbeat from a cluster worker to its primary. */
interface BeatMessage {
  readonly plaza: "beat";
  readonly notReady?: string | undefined;
}

const beatMs = 250;
/** Readiness is checked with every fourth beat. */
const beatsPerLook = 4;

function isBeat(message: unknown): message is BeatMessage {
  return (message as { plaza?: unknown } | null)?.plaza === "beat";
}

/** Starts sending heartbeats with the latest known readiness. */
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

/**
 * For a worker: sends a heartbeat to the primary, which runs the listener. Dropped when the primary is gone.
 */
export function beatToPrimary(notReady: string | undefined): void {
  process.send?.({ plaza: "beat", notReady } satisfies BeatMessage, undefined, {}, () => {});
}

/** The cluster events that `forwardBeats` uses. */
interface WorkerSource {
  on(
    event: "message" | "exit",
    listener: (worker: { process: { pid?: number } }, message: unknown) => void,
  ): unknown;
}

/** For the primary: forwards its workers' heartbeats to the listener. */
export function forwardBeats(cluster: WorkerSource, listener: HealthListener): void {
  cluster.on("message", ({ process }, message) => {
    if (isBeat(message)) listener.beat(process.pid ?? 0, message.notReady);
  });
  cluster.on("exit", ({ process }) => listener.gone(process.pid ?? 0));
}

/** Starts the listener. Rejects with the system's message when it cannot listen on the address. */
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
  // The thread must not keep an otherwise finished process alive.
  thread.unref();
  return {
    beat: (pid, notReady) => post({ kind: "beat", pid, notReady }),
    gone: (pid) => post({ kind: "gone", pid }),
    stopping: () => post({ kind: "stopping" }),
    figuresFrom(from) {
      gather = from;
      // Sends the first metrics at once.
      giveFigures();
    },
  };
}
