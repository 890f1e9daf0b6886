/**
 * Messages between the primary of `--workers N` and its workers about sockets and retiring, and the worker's
 * side of them.
 */
import type { ListenSockets, Ports } from "../app/listening.ts";
import type { SocketHandle } from "./shared-sockets.ts";

/** From a worker: it is ready to listen. The answer is one `socket` per address, or `no socket`. */
export const socketsWanted = { plaza: "sockets wanted" } as const;
/** From the primary, with a socket for one address. `of`: number of sockets in total. */
export interface SocketMessage {
  readonly plaza: "socket";
  readonly place: keyof Ports;
  readonly of: number;
}
/** From the primary: there is no socket, because it is stopping (no `problem`) or cannot bind. */
export interface NoSocketMessage {
  readonly plaza: "no socket";
  readonly problem?: string | undefined;
}
/** From a worker: it accepts connections. */
interface ListeningMessage {
  readonly plaza: "listening";
  readonly ports: Ports;
}
/** From the primary: another worker has taken over. */
export const retire = { plaza: "retire" } as const;

const kindOf = (message: unknown): unknown => (message as { plaza?: unknown } | null)?.plaza;

export const isSocketsWanted = (message: unknown): boolean => kindOf(message) === socketsWanted.plaza;
export const isRetire = (message: unknown): boolean => kindOf(message) === retire.plaza;
export const isListening = (message: unknown): message is ListeningMessage =>
  kindOf(message) === ("listening" satisfies ListeningMessage["plaza"]);
const isSocket = (message: unknown): message is SocketMessage =>
  kindOf(message) === ("socket" satisfies SocketMessage["plaza"]);
const isNoSocket = (message: unknown): message is NoSocketMessage =>
  kindOf(message) === ("no socket" satisfies NoSocketMessage["plaza"]);

/** The parts of a worker's process used here. */
type WorkerProcess = Pick<NodeJS.Process, "on" | "off" | "send">;

/** Dropped when the primary is gone; this worker then ends soon. */
function send(worker: WorkerProcess, message: object): void {
  worker.send?.(message, undefined, {}, () => {});
}

/**
 * Asks the primary for sockets to listen on; undefined = the primary is stopping. Rejects when it cannot
 * bind.
 */
export function askForSockets(worker: WorkerProcess = process): Promise<ListenSockets | undefined> {
  return new Promise((resolve, reject) => {
    const got: Partial<Record<keyof Ports, SocketHandle>> = {};
    const hear = (message: unknown, handle: unknown): void => {
      if (isSocket(message)) {
        got[message.place] = handle as SocketHandle;
        const { endpoint } = got;
        if (endpoint === undefined || Object.keys(got).length < message.of) return;
        resolve({ ...got, endpoint });
      } else if (isNoSocket(message)) {
        if (message.problem === undefined) resolve(undefined);
        else reject(new Error(message.problem));
      } else {
        return;
      }
      worker.off("message", hear);
    };
    worker.on("message", hear);
    send(worker, socketsWanted);
  });
}

/** Reports to the primary that this worker accepts connections. */
export function reportListening(ports: Ports, worker: WorkerProcess = process): void {
  send(worker, { plaza: "listening", ports } satisfies ListeningMessage);
}
