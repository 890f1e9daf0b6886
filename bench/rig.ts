/** The running parts of a benchmark: a temporary folder, the upstream, and gateways before it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild, stopAllChildren, stopChild, waitForOutput } from "./gateways/child.ts";
import type { Gateway } from "./gateways/gateway.ts";
import type { Cores, Tools } from "./gateways/machine.ts";
import { startNginx } from "./gateways/nginx.ts";
import { type PlazaBuild, prepareBuild } from "./gateways/plaza-build.ts";
import type { RunSize } from "./options.ts";
import { type StreamPlan, streamModel } from "./replies.ts";
import type { UpstreamCount } from "./upstream.ts";

export const jsonModel = "bench-json";

/** Streams of the stream cases: open until the upstream gets the command to finish them. */
export const heldStreamPlan: StreamPlan = { chunks: "open", intervalMs: 50 };

/** Short streams of the first-token case. */
export const shortStreamPlan: StreamPlan = { chunks: 10, intervalMs: 20 };

export interface Rig {
  readonly size: RunSize;
  readonly tools: Tools;
  readonly cores: Cores;
  readonly folder: string;
  readonly direct: Gateway;
  startNginx(): Promise<Gateway>;
  /** Prepares a build of Plaza in a separate folder, with `prepareBuild`. */
  prepare(
    name: "plaza" | "other",
    script: string,
    settings?: Readonly<Record<string, string>>,
  ): Promise<PlazaBuild>;
  upstreamCount(): Promise<UpstreamCount>;
  /** Makes the upstream end every open stream within one interval. */
  finishStreams(): Promise<void>;
  close(): Promise<void>;
}

async function startUpstream(cores: Cores): Promise<Gateway> {
  const script = join(import.meta.dirname, "upstream.ts");
  const child = startChild("upstream", process.execPath, [script], { cores: cores.load });
  const port = Number((await waitForOutput(child, "stdout", /port (\d+)/, 10_000))[1]);
  const path = "/v1/chat/completions";
  return {
    name: "direct",
    pid: child.pid,
    port,
    jsonPath: path,
    streamPath: path,
    key: "sk-not-checked-by-upstream",
    stop: () => stopChild(child),
  };
}

async function askUpstream(upstream: Gateway, path: string): Promise<UpstreamCount> {
  const response = await fetch(`http://127.0.0.1:${upstream.port}${path}`, {
    signal: AbortSignal.timeout(10_000),
  });
  return (await response.json()) as UpstreamCount;
}

/** Creates the rig and starts the upstream. Must be closed in any case. */
export async function openRig(size: RunSize, tools: Tools, cores: Cores): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-bench-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.on("exit", removeFolder);
  const close = async () => {
    await stopAllChildren();
    removeFolder();
  };
  try {
    const direct = await startUpstream(cores);
    const upstreamPort = direct.port;
    const models = [jsonModel, streamModel(heldStreamPlan), streamModel(shortStreamPlan)] as const;
    return {
      size,
      tools,
      cores,
      folder,
      direct,
      startNginx: () => startNginx(tools.nginx, upstreamPort, folder, cores.gateway),
      prepare: (name, script, settings) =>
        prepareBuild(name, script, { folder: join(folder, name), cores, upstreamPort, models, settings }),
      upstreamCount: () => askUpstream(direct, "/count"),
      finishStreams: async () => void (await askUpstream(direct, "/finish")),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
