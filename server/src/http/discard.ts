/** A body nobody will read: lets it arrive for a moment, so that the client hears its answer, then cuts the connection. */
import type { IncomingMessage } from "node:http";

const lingerMs = 2_000;

/** Throws away the rest of a request's body. `then` runs once it is over; a client still sending after two seconds is cut. */
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
