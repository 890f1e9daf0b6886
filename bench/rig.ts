/**
 * Everything one run has running: a temporary folder, the upstream, and gateways before it, each with data prepared once
 * and copied. Starts and stops; measures nothing but start-up time.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild, stopAllChildren, stopChild, waitForOutput } from "./child.ts";
import { type Gateway, post, probe } from "./gateway.ts";
import type { Cores, Tools } from "./machine.ts";
import { startNginx } from "./nginx.ts";
import type { RunSize } from "./options.ts";
import { chatBody } from "./payloads.ts";
import {
  createKey,
  type PlazaFiles,
  plazaCommand,
  plazaGateway,
  type RunningPlaza,
  startPlaza,
  writeCatalog,
} from "./plaza.ts";
import { type StreamPlan, streamModel } from "./replies.ts";
import type { UpstreamCount } from "./upstream.ts";

export const jsonModel = "bench-json";

/** Streams of the stream case: open until the upstream is told to finish them. */
export const heldStreamPlan: StreamPlan = { chunks: "open", intervalMs: 50 };

/** Short streams of the first-token case. */
export const shortStreamPlan: StreamPlan = { chunks: 10, intervalMs: 20 };

export interface Rig {
  readonly size: RunSize;
  readonly tools: Tools;
  readonly cores: Cores;
  readonly folder: string;
  readonly direct: Gateway;
  /** Time of the very first start, on an empty folder, milliseconds. */
  readonly firstStartMs: number;
  /** Lines about what could not be checked. */
  readonly remarks: readonly string[];
  startNginx(): Promise<Gateway>;
  /** Starts Plaza on a fresh copy of the prepared data. `isPinned` = on the gateway's core. */
  startPlaza(options: { isPinned: boolean; nodeFlags?: readonly string[] }): Promise<StartedPlaza>;
  upstreamCount(): Promise<UpstreamCount>;
  /** Makes the upstream end every open stream within one interval. */
  finishStreams(): Promise<void>;
  close(): Promise<void>;
}

export interface StartedPlaza extends RunningPlaza {
  readonly gateway: Gateway;
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

/** The first start makes the data; a probe proves that keys are checked and that requests are recorded. */
async function prepareData(
  files: PlazaFiles,
  cores: Cores,
): Promise<{ key: string; firstStartMs: number; remarks: string[] }> {
  const remarks: string[] = [];
  const running = await startPlaza(files, cores.all);
  const created = createKey(files);
  if (created.key === undefined)
    remarks.push(`no key by command, the printed one is used: ${created.reason}`);
  const key = created.key ?? running.printedKey;
  if (key === undefined) throw new Error(`no API key: ${created.reason}`);
  const gateway = plazaGateway(running, key);
  const body = chatBody(jsonModel, 1024, { max_tokens: 256 });
  try {
    await probe(gateway, body);
    const stranger = await post(gateway, body, "sk-plaza-stranger");
    if (stranger.status !== 401) throw new Error(`a wrong key got ${stranger.status}: authentication is off`);
    const rows = plazaCommand(files, ["requests", "--limit", "5"]);
    if (!JSON.stringify(rows.json ?? "").includes(jsonModel)) {
      remarks.push(`NOT verified that requests are recorded: ${rows.reason || "plaza requests shows none"}`);
    }
  } finally {
    await gateway.stop();
  }
  return { key, firstStartMs: running.readyMs, remarks };
}

/** Builds the rig: starts the upstream and prepares Plaza's data. Close it whatever happens. */
export async function openRig(size: RunSize, tools: Tools, cores: Cores, plazaScript: string): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-bench-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.on("exit", removeFolder);
  const close = async () => {
    await stopAllChildren();
    removeFolder();
  };
  try {
    const direct = await startUpstream(cores);
    const catalogFile = join(folder, "plaza.yaml");
    writeCatalog(catalogFile, direct.port, [
      jsonModel,
      streamModel(heldStreamPlan),
      streamModel(shortStreamPlan),
    ]);
    const template = join(folder, "template");
    mkdirSync(template);
    const prepared = await prepareData({ script: plazaScript, dataDir: template, catalogFile }, cores);
    let copies = 0;
    return {
      size,
      tools,
      cores,
      folder,
      direct,
      ...prepared,
      startNginx: () => startNginx(tools.nginx, direct.port, folder, cores.gateway),
      startPlaza: async ({ isPinned, nodeFlags }) => {
        const dataDir = join(folder, `data-${copies++}`);
        cpSync(template, dataDir, { recursive: true });
        const files = { script: plazaScript, dataDir, catalogFile };
        const running = await startPlaza(files, isPinned ? cores.gateway : cores.all, nodeFlags);
        return { ...running, gateway: plazaGateway(running, prepared.key) };
      },
      upstreamCount: () => askUpstream(direct, "/count"),
      finishStreams: async () => void (await askUpstream(direct, "/finish")),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
