/**
 * Limits how late a slow request head is cut, without a timer while no connection is open: node:http
 * looks for such heads at a fixed interval from the start to the end of a server, four times a second
 * here, and each look wakes an idle process.
 */
import type { Server } from "node:http";

/** A head is cut at most this much later than its time allows. */
export const headCheckMs = 250;
/** While connections are open: how often it is checked whether they still are. */
const restCheckMs = 1_000;
/** The longest time a timer of Node takes, 25 days. */
const neverMs = 2 ** 31 - 1;

/** What node:http keeps on a server but does not declare: the interval it reads when its check starts. */
interface CheckingServer extends Server {
  connectionsCheckingInterval: number;
}

/**
 * Node's own function that starts the check, or starts it again with another interval. It is not exported; it
 * is the first listener of `listening`. Undefined where a version of Node does it in another way.
 */
function checkStarterOf(server: Server): (() => void) | undefined {
  const [first] = server.listeners("listening");
  return first?.name === "setupConnectionsTracking" ? () => Reflect.apply(first, server, []) : undefined;
}

/**
 * To be called right after `createServer` was given `headCheckMs` as its `connectionsCheckingInterval`.
 * From then on the check runs while `openConnections` is above 0 and up to a second longer. Where Node's
 * check cannot be paused it always runs.
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
