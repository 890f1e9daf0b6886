/**
 * Enforces the time limit for request headers without a timer while no connection is open. node:http checks
 * for slow headers at a fixed interval for the life of a server (here four times a second), and each check
 * wakes an idle process.
 */
import type { Server } from "node:http";

/** Slow headers are cut off at most this many milliseconds late. */
export const headCheckMs = 250;
/** How often to check whether connections are still open, in milliseconds. */
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
 * only while `openConnections` is above 0, and up to a second longer. If Node's check cannot be paused, it
 * keeps running.
 */
export function pauseHeadChecks(server: Server, openConnections: () => number): void {
  const startChecks = checkStarterOf(server);
  if (startChecks === undefined) return;
  const checking = server as CheckingServer;
  let restTimer: NodeJS.Timeout | undefined;

  function rest(): void {
    if (openConnections() > 0) return;
    clearInterval(restTimer);
    restTimer = undefined;
    checking.connectionsCheckingInterval = neverMs;
    startChecks?.();
  }

  function wake(): void {
    checking.connectionsCheckingInterval = headCheckMs;
    startChecks?.();
    restTimer = setInterval(rest, restCheckMs).unref();
  }

  checking.connectionsCheckingInterval = neverMs;
  server.on("connection", () => {
    if (restTimer === undefined) wake();
  });
}
