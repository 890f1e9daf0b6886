/**
 * CPU of `plaza serve` per refused call, by reason, under load: all threads, with sockets. Two checkouts take
 * turns, A B, then B A. Needs `wrk`.
 *
 * Run: node bench/micro/refusals.ts [--against PATH] [--only unknown,new,none,path,model,limited] [--turns 6]
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createApiKey } from "../../server/src/domain/keys/api-key.ts";
import { findPlaza } from "../gateways/checkout.ts";
import { startChild, stopAllChildren, waitForOutput } from "../gateways/child.ts";
import { requireTools } from "../gateways/machine.ts";
import { prepareBuild, type StartedPlaza } from "../gateways/plaza-build.ts";
import { cpuBetweenMs, readCpu } from "../measure/process-stat.ts";
import { median } from "../measure/statistics.ts";
import { chatBody } from "../payloads.ts";
import { streamModel } from "../replies.ts";
import { heldStreamPlan, jsonModel } from "../rig.ts";

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    only: { type: "string", default: "unknown,new,none,path,model,limited" },
    turns: { type: "string", default: "6" },
    seconds: { type: "string", default: "2" },
  },
});

/** A reason to refuse a call, as a request. `key`: Lua that gives the key, `valid` is one. */
interface Reason {
  readonly key: string | undefined;
  readonly path?: string;
  readonly model?: string;
  /** With the limit of refused calls per address and key as it is by default. */
  readonly isLimited?: boolean;
}

const unknownKey = createApiKey(randomBytes).secret;
const quoted = (text: string): string => JSON.stringify(text);

const reasons: Readonly<Record<string, Reason>> = {
  unknown: { key: quoted(unknownKey) },
  // Malformed, and another one each time.
  new: { key: '"sk-plaza-" .. math.random(1, 2000000000)' },
  none: { key: undefined },
  path: { key: quoted(unknownKey), path: "/v1/chat/completion" },
  model: { key: "valid", model: "nobody-has-this" },
  limited: { key: quoted(unknownKey), isLimited: true },
};

const { wrk: wrkProgram } = requireTools(false);
const warmUpMs = 8_000;
const repository = resolve(import.meta.dirname, "..", "..");

function script({ key, path = "/v1/chat/completions", model = jsonModel }: Reason, validKey: string): string {
  const authorization = key === undefined ? "" : `h["Authorization"] = "Bearer " .. (${key})`;
  return `local valid = ${quoted(validKey)}
local body = ${quoted(chatBody(model, 200, {}).toString())}
function request()
  local h = { ["Content-Type"] = "application/json" }
  ${authorization}
  return wrk.format("POST", ${quoted(path)}, h, body)
end
function done(summary)
  io.write(string.format("RESULT %d %d\\n", summary.requests, summary.errors.status))
end
`;
}

/** Microseconds of CPU per refused call. */
async function load(plaza: StartedPlaza, file: string, ms: number): Promise<number> {
  const { gateway } = plaza;
  const url = `http://127.0.0.1:${gateway.port}/`;
  const before = readCpu(gateway.pid);
  const wrk = spawn(wrkProgram, ["-t", "1", "-c", "64", "-d", `${ms / 1_000}s`, "-s", file, url]);
  let output = "";
  wrk.stdout.on("data", (bytes) => {
    output += String(bytes);
  });
  await once(wrk, "close");
  const cpuMs = cpuBetweenMs(before, readCpu(gateway.pid));
  const [, requests = "0", refused] = /RESULT (\d+) (\d+)/.exec(output) ?? [];
  if (requests !== refused || requests === "0") throw new Error(`not every call was refused: ${output}`);
  return (1_000 * cpuMs) / Number(requests);
}

const folder = mkdtempSync(join(tmpdir(), "plaza-refusals-"));
try {
  const upstream = startChild("upstream", process.execPath, [join(repository, "bench", "upstream.ts")]);
  const upstreamPort = Number((await waitForOutput(upstream, "stdout", /port (\d+)/, 10_000))[1]);
  const cores = { all: [], gateway: [], load: [] };
  const models = [jsonModel, streamModel(heldStreamPlan)] as const;
  const paths = [repository, options.against].filter((path) => path !== undefined);
  for (const name of options.only.split(",")) {
    const reason = reasons[name];
    if (reason === undefined) throw new Error(`no such reason: ${name}`);
    const settings = reason.isLimited ? { PLAZA_REFUSED_CALLS_PER_MINUTE: "6000" } : undefined;
    const sides: { plaza: StartedPlaza; file: string; costs: number[] }[] = [];
    for (const [index, path] of paths.entries()) {
      const place = { folder: join(folder, `${name}-${index}`), cores, upstreamPort, models, settings };
      const build = await prepareBuild("plaza", findPlaza(path), place);
      const plaza = await build.start({ isPinned: false });
      const file = join(folder, `${name}-${index}.lua`);
      writeFileSync(file, script(reason, plaza.gateway.key));
      await load(plaza, file, warmUpMs);
      sides.push({ plaza, file, costs: [] });
    }
    for (let turn = 0; turn < Number(options.turns); turn += 1) {
      for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
        side.costs.push(await load(side.plaza, side.file, 1_000 * Number(options.seconds)));
        await sleep(100);
      }
    }
    for (const { plaza } of sides) await plaza.gateway.stop();
    const told = sides.map(({ costs }) => {
      const sorted = costs.toSorted((a, b) => a - b);
      return `${median(costs).toFixed(1)} [${sorted[0]?.toFixed(1)}-${sorted.at(-1)?.toFixed(1)}]`;
    });
    console.log(`${name.padEnd(8)} ${told.join(" µs, the other ")} µs`);
  }
} finally {
  await stopAllChildren();
  rmSync(folder, { recursive: true, force: true });
}
