/**
 * Enforces the time limit for request headers without checking for them while no connection has a request.
 * node:http checks for slow headers at a fixed interval for the life of a server (here four times a second),
 * and each check wakes an idle process.
 */
import type { Server } from "node:http";
import type { Connections } from "./connections.ts";

/** Slow headers are cut off at most this many milliseconds late. */
export const headCheckMs = 250;
/** How often to check whether connections are still open and at rest, in milliseconds. */
const restCheckMs = 1_000;
/** Longest timer in Node: 25 days. */
const neverMs = 2 ** 31 - 1;

/** An undeclared property of node:http servers: the interval that is read when the check starts. */
interface CheckingServer extends Server {
  connectionsCheckingInterval: number;
}

/**
 * Returns Node's internal function that (re)starts the check. It is not exported, but is the first listener
 * of `listening`. undefined in Node versions that work differently.
 */
function checkStarterOf(server: Server): (() => void) | undefined {
  const [first] = server.listeners("listening");
  return first?.name === "setupConnectionsTracking" ? () => Reflect.apply(first, server, []) : undefined;
}

/**
 * Call right after `createServer` with `headCheckMs` as `connectionsCheckingInterval`. The check then runs
 * only while a connection has a request or never had one, and up to a second longer; while others are open,
 * they are looked at once a second. If Node's check cannot be paused, it keeps running. `limitMs`: for the
 * headers. Below a second, the check runs while a connection is open, because a request could be found late.
 */
export function pauseHeadChecks(
  server: Server,
  connections: Pick<Connections, "open" | "isResting">,
  limitMs: number,
): void {
  const startChecks = checkStarterOf(server);
  if (startChecks === undefined) return;
  const checking = server as CheckingServer;
  const mayRest = limitMs >= restCheckMs;
  let restTimer: NodeJS.Timeout | undefined;

  function checkEvery(ms: number): void {
    if (checking.connectionsCheckingInterval === ms) return;
    checking.connectionsCheckingInterval = ms;
    startChecks?.();
  }

  function look(): void {
    if (connections.open === 0) {
      clearInterval(restTimer);
      restTimer = undefined;
    }
    checkEvery(connections.open === 0 || (mayRest && connections.isResting) ? neverMs : headCheckMs);
  }

  checking.connectionsCheckingInterval = neverMs;
  server.on("connection", () => {
    checkEvery(headCheckMs);
    restTimer ??= setInterval(look, restCheckMs).unref();
  });
}
