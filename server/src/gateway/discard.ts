/** What to do with a body nobody will read: let it arrive for a moment, so that the client hears its answer, then cut. */
import type { IncomingMessage } from "node:http";

const lingerMs = 2_000;

/** Throws away the rest of a request's body; a client still sending after two seconds loses its connection. */
export function discardRest(req: IncomingMessage): void {
  const timer = setTimeout(() => req.socket.destroy(), lingerMs);
  timer.unref();
  req.on("end", () => clearTimeout(timer));
  req.on("error", () => {});
  req.resume();
}
