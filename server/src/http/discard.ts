/** Discards a body for a moment, so that the client reads its answer, then closes the connection. */
import type { IncomingMessage } from "node:http";

const lingerMs = 2_000;

/**
 * Discards the rest of a request's body, then calls `then`. A client still sending after two seconds is
 * disconnected.
 */
export function discardRest(req: IncomingMessage, then: () => void): void {
  const timer = setTimeout(() => req.socket.destroy(), lingerMs);
  timer.unref();
  req.on("end", () => {
    clearTimeout(timer);
    then();
  });
  req.on("close", () => clearTimeout(timer));
  req.on("error", () => {});
  req.resume();
}
