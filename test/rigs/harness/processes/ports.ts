/**
 * Ports for rigs.
 */
import { type AddressInfo, connect, createServer } from "node:net";
import { nodeBinary, startProcess } from "./processes.ts";

/** A port of 127.0.0.1 without a listener (any more). */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const listensAndSays = `
  const server = require("node:net").createServer();
  server.listen(0, "127.0.0.1", 1, () => console.log("port " + server.address().port));
`;
/** A connection on this machine that takes longer is not made any more. */
const unheardMs = 300;

/**
 * A port of 127.0.0.1 where a connection is neither made nor refused: its listener stands still, and its
 * backlog is full of connections nobody takes.
 */
export async function blackHole(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const running = startProcess(nodeBinary, ["-e", listensAndSays]);
  const [, found] = await running.waitFor(/^port (\d+)$/m, 10_000);
  const port = Number(found);
  running.child.kill("SIGSTOP");
  const sockets: ReturnType<typeof connect>[] = [];
  const isFull = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1" });
      sockets.push(socket);
      socket.on("error", () => {});
      const timer = setTimeout(() => resolve(true), unheardMs);
      socket.once("connect", () => {
        clearTimeout(timer);
        resolve(false);
      });
    });
  for (let tries = 0; tries < 20 && !(await isFull()); tries++);
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await running.stop("SIGKILL");
    },
  };
}
