/**
 * A server in a separate thread that only answers. Its response times are those that the rig and the machine
 * add to every figure of the storm.
 */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

export interface Control {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the thread and waits for its port. */
export async function startControl(): Promise<Control> {
  const worker = new Worker(new URL(import.meta.url));
  const [port] = (await once(worker, "message")) as [number];
  return {
    port,
    async stop() {
      await worker.terminate();
    },
  };
}

const answer = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");

function serve(): void {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    // The only caller sends a request without a body in one write, and the next after its answer.
    socket.on("data", () => void socket.write(answer));
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
}

if (!isMainThread) serve();
