/**
 * The load for JSON: wrk with a fixed request on kept connections. Any response that is not as expected fails
 * the run.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputTail, startChild, stopChild, waitForExit } from "../gateways/child.ts";
import type { Gateway } from "../gateways/gateway.ts";

export interface WrkLoad {
  readonly program: string;
  /** For the script and the body. */
  readonly folder: string;
  readonly body: Buffer;
  readonly connections: number;
  /** True: each answer must be an error, and none may be anything else. */
  readonly isRefused?: boolean;
}

export interface WrkRun {
  readonly pid: number;
  /**
   * Stops it and returns the number of completed requests. Throws on errors, and on statuses of 400 or more
   * (where all are to be refused: on any below).
   */
  end(): Promise<number>;
  /** Stops it without reading its result. */
  abandon(): Promise<void>;
}

/** Maximum duration of a load that is not stopped. */
const secondsMax = 600;
const endTimeoutMs = 20_000;

/** Defines only `done`: wrk then builds the request once and runs no Lua per request. */
function script(bodyFile: string, gateway: Gateway): string {
  const more = Object.entries(gateway.headers ?? {}).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  return `local file = assert(io.open(${JSON.stringify(bodyFile)}, "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Authorization"] = "Bearer ${gateway.key}"
wrk.headers["Content-Type"] = "application/json"
${more.join("\n")}
file:close()
function done(summary)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests,
    e.connect, e.read, e.write, e.status, e.timeout))
end
`;
}

/** The number of completed requests, from wrk's output. Throws when one of them was not as expected. */
export function completedRequests(name: string, output: string, isRefused = false): number {
  const line = /^RESULT ([\d ]+)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`);
  const [requests = 0, connect = 0, read = 0, write = 0, status = 0, timeout = 0] = line
    .split(" ")
    .map(Number);
  if (connect + read + write + timeout > 0 || status !== (isRefused ? requests : 0)) {
    throw new Error(
      `${name}: ${requests} answers, errors: connect ${connect}, read ${read}, write ${write}, ` +
        `status >= 400 ${status}, timeout ${timeout}`,
    );
  }
  if (requests === 0) throw new Error(`${name} completed no request`);
  return requests;
}

/** Starts wrk against a gateway; it runs until stopped. */
export function startWrk(gateway: Gateway, load: WrkLoad): WrkRun {
  const home = mkdtempSync(join(load.folder, "wrk-"));
  const bodyFile = join(home, "body.json");
  const scriptFile = join(home, "load.lua");
  writeFileSync(bodyFile, load.body);
  writeFileSync(scriptFile, script(bodyFile, gateway));
  const url = `http://127.0.0.1:${gateway.port}${gateway.jsonPath}`;
  const size = ["-t", "1", "-c", String(load.connections), "-d", `${secondsMax}s`, "--timeout", "5s"];
  const child = startChild("wrk", load.program, [...size, "-s", scriptFile, url]);
  return {
    pid: child.pid,
    end: async () => {
      // On SIGINT wrk ends early and prints its result.
      child.process.kill("SIGINT");
      await waitForExit(child, endTimeoutMs);
      return completedRequests(gateway.name, outputTail(child), load.isRefused);
    },
    abandon: () => stopChild(child),
  };
}
