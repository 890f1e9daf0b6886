/** The counting upstream in a separate process, for rigs that measure time or restart other processes. */
import { request } from "node:http";
import type { CallRecord } from "../../upstream/journal.ts";
import type { Plan } from "../../upstream/plan.ts";
import type { UpstreamOptions, UpstreamState } from "../../upstream/server.ts";
import type { Stall } from "../measure/stalls.ts";
import { nodeBinary, rootFolder, startProcess } from "./processes.ts";

export interface UpstreamProcess {
  readonly pid: number;
  readonly port: number;
  readonly baseUrl: string;
  state(): Promise<UpstreamState>;
  calls(): Promise<CallRecord[]>;
  /** Stalls of its event loop; empty unless started with that option. */
  stalls(): Promise<Stall[]>;
  setPlan(plan: Partial<Plan>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it and waits for its port. */
export async function startUpstreamProcess(options: UpstreamOptions = {}): Promise<UpstreamProcess> {
  const running = startProcess(nodeBinary, [
    `${rootFolder}test/rigs/upstream/main.ts`,
    JSON.stringify(options),
  ]);
  const [, line = "{}"] = await running.waitFor(/^(\{"port".*\})$/m, 10_000);
  const { port, baseUrl } = JSON.parse(line) as { port: number; baseUrl: string };
  return {
    pid: running.pid,
    port,
    baseUrl,
    state: async () => (await ask(port, "GET", "/rig/state")) as UpstreamState,
    calls: async () => (await ask(port, "GET", "/rig/calls")) as CallRecord[],
    stalls: async () => (await ask(port, "GET", "/rig/stalls")) as Stall[],
    setPlan: async (plan) => {
      await ask(port, "POST", "/rig/plan", JSON.stringify(plan));
    },
    stop: async () => {
      await running.stop();
    },
  };
}

function ask(port: number, method: string, path: string, body = ""): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, method, path, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.once("end", () => resolve(JSON.parse(text)));
      response.once("error", reject);
    });
    call.once("error", reject);
    call.end(body);
  });
}
