/** One mock for many upstreams: the first path segment selects the reply. Counts calls. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { asksForStream, type Reply, type Wire } from "../../../server/src/providers/testing/wire.ts";

export interface Mock {
  readonly origin: string;
  calls(place: string): number;
  /** The last call: path, headers and body as text. */
  lastCall(place: string): string;
  stop(): Promise<void>;
}

function play(reply: Reply, res: ServerResponse): void {
  res.on("error", () => {});
  const isEnd = reply.ending === undefined || reply.ending === "end";
  res.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
  if (isEnd) res.end(reply.body);
  else if (reply.ending === "hang") {
    res.flushHeaders();
    if (reply.body.length > 0) res.write(reply.body);
  }
  // Give the peer time to read the bytes before the reset.
  else res.write(reply.body, () => setTimeout(() => res.socket?.resetAndDestroy(), 30));
}

/**
 * `replyTo`: the reply of the upstream at a path; undefined = 404. `wireOf`: its format, for those that
 * request streams differently.
 */
export async function startMock(
  replyTo: (place: string, isStream: boolean) => Reply | undefined,
  wireOf?: (place: string) => Wire | undefined,
): Promise<Mock> {
  const counts = new Map<string, number>();
  const calls = new Map<string, string>();
  const server = createServer(async (req, res) => {
    const place = req.url?.split("/")[1] ?? "";
    const parts: Buffer[] = [];
    try {
      for await (const part of req) parts.push(part as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(parts).toString("utf8");
    counts.set(place, (counts.get(place) ?? 0) + 1);
    calls.set(place, `${req.url}\n${req.rawHeaders.join("\n")}\n${body}`);
    const reply = replyTo(place, asksForStream(wireOf?.(place), req.url ?? "", body));
    if (reply === undefined) res.writeHead(404).end("{}");
    else play(reply, res);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: (place) => counts.get(place) ?? 0,
    lastCall: (place) => calls.get(place) ?? "",
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
