/** The load for JSON: wrk with a fixed request on kept connections. Any answer that is not a success fails the run. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputTail, startChild, waitForExit } from "./child.ts";
import type { Gateway } from "./gateway.ts";

export interface WrkLoad {
  readonly program: string;
  /** For the script and the body. */
  readonly folder: string;
  readonly body: Buffer;
  readonly connections: number;
  readonly seconds: number;
}

export interface WrkResult {
  readonly requests: number;
  readonly durationMs: number;
}

/** Only `done` is defined: wrk then builds the request once and keeps Lua off its hot path. */
function script(bodyFile: string, key: string): string {
  return `local file = assert(io.open(${JSON.stringify(bodyFile)}, "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Authorization"] = "Bearer ${key}"
wrk.headers["Content-Type"] = "application/json"
file:close()
function done(summary)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d %d\\n", summary.requests, summary.duration,
    e.connect, e.read, e.write, e.status, e.timeout))
end
`;
}

/** Runs wrk against a gateway. Throws when it met an error or a status of 400 or more. */
export async function runWrk(gateway: Gateway, load: WrkLoad): Promise<WrkResult> {
  const home = mkdtempSync(join(load.folder, "wrk-"));
  const bodyFile = join(home, "body.json");
  const scriptFile = join(home, "load.lua");
  writeFileSync(bodyFile, load.body);
  writeFileSync(scriptFile, script(bodyFile, gateway.key));
  const url = `http://127.0.0.1:${gateway.port}${gateway.jsonPath}`;
  const size = ["-t", "1", "-c", String(load.connections), "-d", `${load.seconds}s`, "--timeout", "5s"];
  const child = startChild("wrk", load.program, [...size, "-s", scriptFile, url]);
  await waitForExit(child, load.seconds * 1000 + 20_000);
  const line = /^RESULT ([\d ]+)$/m.exec(child.stdout)?.[1];
  if (line === undefined) throw new Error(`wrk printed no result:\n${outputTail(child)}`);
  const [requests = 0, durationUs = 0, ...errors] = line.split(" ").map(Number);
  if (errors.some((count) => count > 0)) {
    const [connect, read, write, status, timeout] = errors;
    throw new Error(
      `${gateway.name}: ${requests} answers, errors: connect ${connect}, read ${read}, write ${write}, ` +
        `status >= 400 ${status}, timeout ${timeout}`,
    );
  }
  if (requests === 0) throw new Error(`${gateway.name} completed no request in ${load.seconds} s`);
  return { requests, durationMs: durationUs / 1000 };
}
