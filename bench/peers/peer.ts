/**
 * One gateway of a peer file: installs it once, and starts it, each time in a new folder, before the
 * benchmark's upstream. Checks that it answers, and that its authentication is what the file says.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, hasEnded, outputTail, startChild, stopChild } from "../gateways/child.ts";
import { type Answer, type Gateway, isCompletion, modelThrough, post } from "../gateways/gateway.ts";
import type { Cores } from "../gateways/machine.ts";
import { accepts, freePort } from "../gateways/nginx.ts";
import { processTree } from "../measure/process-stat.ts";
import { chatBody } from "../payloads.ts";
import { fillIn, type PeerFile, type PeerInstall, type Placeholders } from "./peer-file.ts";

/** Where and with what peers are started. */
export interface PeerPlace {
  /** For their files; must exist. */
  readonly folder: string;
  readonly cores: Cores;
  readonly upstreamPort: number;
  /** A model of the upstream that answers JSON. */
  readonly model: string;
  /** Returns the folder with the packages. */
  readonly install: (install: PeerInstall) => Promise<string>;
  /** A gateway that answers, but wrongly, may still be starting: it has this long, milliseconds. */
  readonly wrongAnswerMsMax: number;
}

const pollMs = 100;
/** Nothing that a peer does at its end is measured. */
const stopMsMax = 1000;
const wrongKey = "sk-wrong-key-of-the-benchmark";

/** What a program needs to run at all. Nothing else is passed on: it may hold keys of real providers. */
const passedOn = ["PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH"];

function peerEnvironment(folder: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => passedOn.includes(name));
  return { ...Object.fromEntries(passed), HOME: folder, TMPDIR: folder, ...more };
}

function mapTexts(texts: Readonly<Record<string, string>>, at: Placeholders): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fillIn(text, at)]));
}

/** Processes that run in a folder: a gateway's workers, even when their parent has ended before them. */
function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder;
      } catch {
        return false;
      }
    });
}

/** Stops the process and what it started: workers do not always end with their parent. */
async function stopTree(child: Child, folder: string): Promise<void> {
  const tree = processTree(child.pid);
  await stopChild(child, stopMsMax);
  for (const pid of new Set([
    ...tree.filter((member) => processTree(member).length > 0),
    ...processesIn(folder),
  ])) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended in the meantime.
    }
  }
}

/** The exit of an ended process with its last output. */
function lastWords(child: Child): string {
  const { exitCode, signalCode } = child.process;
  return `(${signalCode ?? `exit code ${exitCode ?? "none"}`}):\n${outputTail(child)}`;
}

function probeBody(gateway: Gateway, place: PeerPlace): Buffer {
  return chatBody(modelThrough(gateway, place.model), 1024, { max_tokens: 256 });
}

function describeAnswer(answer: Answer): string {
  return `answered ${answer.status}: ${answer.text.slice(0, 300)}`;
}

/** Waits for the first right answer. Throws with the reason when there is none in time. */
async function waitUntilAnswering(
  gateway: Gateway,
  child: Child,
  file: PeerFile,
  place: PeerPlace,
): Promise<void> {
  const body = probeBody(gateway, place);
  const startedAt = performance.now();
  let answeredAt: number | undefined;
  let last = "did not listen on its port";
  for (;;) {
    if (hasEnded(child)) {
      // Its last output may still be on its way.
      await sleep(pollMs);
      throw new Error(`ended while starting ${lastWords(child)}`);
    }
    try {
      const answer = await post(gateway, body, gateway.key);
      if (isCompletion(answer)) return;
      answeredAt ??= performance.now();
      last = describeAnswer(answer);
    } catch (error) {
      if (answeredAt !== undefined) last = `broke the connection: ${error}`;
    }
    const now = performance.now();
    if (answeredAt !== undefined && now - answeredAt > place.wrongAnswerMsMax) throw new Error(last);
    if (now - startedAt > file.startSeconds * 1000) {
      throw new Error(`${last} in ${file.startSeconds} s:\n${outputTail(child)}`);
    }
    await sleep(pollMs);
  }
}

/** Throws when the file says that keys are checked and a wrong one is served. */
async function checkAuth(
  gateway: Gateway,
  file: PeerFile,
  place: PeerPlace,
  at: Placeholders,
): Promise<void> {
  if (!file.switches.auth.startsWith("on")) return;
  const stranger = { ...gateway, headers: mapTexts(file.headers, { ...at, key: wrongKey }) };
  if (isCompletion(await post(stranger, probeBody(gateway, place), wrongKey))) {
    throw new Error(`its file says auth "${file.switches.auth}", but it serves a wrong key`);
  }
}

/**
 * Starts the gateway and waits until it answers.
 * @param packages the folder with its installed packages, if it has any.
 * @throws with the reason: its port is taken, it ends, it answers wrongly, it serves wrong keys.
 */
export async function startPeer(
  file: PeerFile,
  place: PeerPlace,
  packages: string | undefined,
): Promise<Gateway> {
  const port = file.port ?? (await freePort());
  if (await accepts(port)) throw new Error(`port ${port} is in use`);
  mkdirSync(place.folder, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(place.folder, "peer-")));
  const at: Placeholders = {
    port: String(port),
    upstream: `http://127.0.0.1:${place.upstreamPort}`,
    upstreamPort: String(place.upstreamPort),
    folder,
    packages: packages ?? "",
    node: process.execPath,
    key: file.key,
  };
  for (const [name, text] of Object.entries(file.files)) writeFileSync(join(folder, name), fillIn(text, at));
  const [program = "", ...args] = file.command.map((word) => fillIn(word, at));
  const env = peerEnvironment(folder, mapTexts(file.env, at));
  const child = startChild(file.name, program, args, { cores: place.cores.gateway, cwd: folder, env });
  const stop = async () => {
    await stopTree(child, folder);
    rmSync(folder, { recursive: true, force: true });
  };
  const gateway: Gateway = {
    name: `peer ${file.name}`,
    pid: child.pid,
    port,
    jsonPath: file.path,
    streamPath: file.path,
    key: file.key,
    headers: mapTexts(file.headers, at),
    modelFor: (model) => fillIn(file.model, { ...at, model }),
    endedWith: () => (hasEnded(child) ? `its process has ended ${lastWords(child)}` : undefined),
    stop,
  };
  try {
    await waitUntilAnswering(gateway, child, file, place);
    await checkAuth(gateway, file, place, at);
    return gateway;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns what starts the gateway; its packages are installed by the first call. */
export function peerStarter(file: PeerFile, place: PeerPlace): () => Promise<Gateway> {
  let packages: Promise<string | undefined> | undefined;
  return async () => {
    packages ??= file.install === undefined ? Promise.resolve(undefined) : place.install(file.install);
    return startPeer(file, place, await packages);
  };
}
