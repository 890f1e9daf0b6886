/**
 * A longer way to a server, as a process on the host that takes it: prints the port it listens on and delays
 * what comes back. Arguments: the server's host and port, milliseconds.
 */
import { laterBy, startHoldingProxy } from "../harness/processes/holding-proxy.ts";

const [host = "", port = "", ms = ""] = process.argv.slice(2);
const proxy = await startHoldingProxy(
  Number(port),
  laterBy(() => Number(ms)),
  host,
);
process.stdout.write(`listens on ${proxy.port}\n`);
