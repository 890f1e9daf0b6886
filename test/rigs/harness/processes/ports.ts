/** Ports of 127.0.0.1 that refuse connections or leave them waiting. */
import { type AddressInfo, connect, createServer } from "node:net";
import { nodeBinary, startProcess } from "./processes.ts";

/** A port of 127.0.0.1 without a listener. */
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
/** A local connection that takes longer will not be established. */
const unheardMs = 300;

/**
 * A port of 127.0.0.1 on which connections are neither accepted nor refused: its listener is stopped and its
 * backlog full.
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
