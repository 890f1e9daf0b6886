/**
 * One prepared build of Plaza: data from its first start, an account and a key, and processes on copies of
 * that data. Every build has separate data, so that builds with different formats can be compared.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chatBody } from "../payloads.ts";
import { type Gateway, post, probe } from "./gateway.ts";
import type { Cores } from "./machine.ts";
import {
  createKey,
  type PlazaFiles,
  plazaCommand,
  plazaGateway,
  type RunningPlaza,
  startPlaza,
  writeCatalog,
} from "./plaza.ts";

export interface StartedPlaza extends RunningPlaza {
  readonly gateway: Gateway;
}

export interface PlazaBuild {
  /** Time of the first start, on an empty folder, in milliseconds. */
  readonly firstStartMs: number;
  /** Lines about checks that were not possible. */
  readonly remarks: readonly string[];
  /**
   * Starts it on a new copy of the prepared data, which is removed when it stops. `isPinned` = on the
   * gateway's core.
   */
  start(options: { isPinned: boolean; nodeFlags?: readonly string[] }): Promise<StartedPlaza>;
}

/** Input of a build. */
export interface BuildFolder {
  /** Folder for its data; created here. */
  readonly folder: string;
  readonly cores: Cores;
  readonly upstreamPort: number;
  /** Models that the upstream serves; the first answers JSON. */
  readonly models: readonly [string, ...string[]];
  /** Settings of Plaza by the names of their environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** The first start creates the data; a probe checks that keys are required and requests recorded. */
async function prepareData(
  name: Gateway["name"],
  files: PlazaFiles,
  place: BuildFolder,
): Promise<{ key: string; firstStartMs: number; remarks: string[] }> {
  const remarks: string[] = [];
  const running = await startPlaza(files, place.cores.all);
  const created = createKey(files);
  if (created.key === undefined)
    remarks.push(`${name}: no key by command, the printed one is used: ${created.reason}`);
  const key = created.key ?? running.printedKey;
  if (key === undefined) throw new Error(`${name}: no API key: ${created.reason}`);
  const gateway = plazaGateway(name, running, key);
  const model = place.models[0];
  const body = chatBody(model, 1024, { max_tokens: 256 });
  try {
    await probe(gateway, body);
    const stranger = await post(gateway, body, "sk-plaza-stranger");
    if (stranger.status !== 401)
      throw new Error(`${name}: a wrong key got ${stranger.status}: authentication is off`);
    const rows = plazaCommand(files, ["requests", "--limit", "5"]);
    if (!JSON.stringify(rows.json ?? "").includes(model)) {
      remarks.push(
        `${name}: NOT verified that requests are recorded: ${rows.reason || "plaza requests shows none"}`,
      );
    }
  } finally {
    await gateway.stop();
  }
  return { key, firstStartMs: running.readyMs, remarks };
}

/**
 * Prepares the build that `script` (path of `plaza.mjs`) starts.
 * @param name the gateway name of its readings.
 */
export async function prepareBuild(
  name: Gateway["name"],
  script: string,
  place: BuildFolder,
): Promise<PlazaBuild> {
  mkdirSync(place.folder);
  const catalogFile = join(place.folder, "plaza.yaml");
  writeCatalog(catalogFile, place.upstreamPort, place.models);
  const template = join(place.folder, "template");
  mkdirSync(template);
  const prepared = await prepareData(
    name,
    { script, dataDir: template, catalogFile, settings: place.settings },
    place,
  );
  let copies = 0;
  return {
    firstStartMs: prepared.firstStartMs,
    remarks: prepared.remarks,
    start: async ({ isPinned, nodeFlags }) => {
      const dataDir = join(place.folder, `data-${copies++}`);
      cpSync(template, dataDir, { recursive: true });
      const files = { script, dataDir, catalogFile, settings: place.settings };
      const running = await startPlaza(files, isPinned ? place.cores.gateway : place.cores.all, nodeFlags);
      const gateway = plazaGateway(name, running, prepared.key);
      const stop = async () => {
        await gateway.stop();
        // A minute of load leaves more than 100 MB, whose write-back would disturb the next windows.
        rmSync(dataDir, { recursive: true, force: true });
      };
      return { ...running, gateway: { ...gateway, stop } };
    },
  };
}
