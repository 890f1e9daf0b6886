/**
 * The cost of an idle process: CPU in percent of a core, wake-ups per second and memory of each process of
 * `plaza serve` and of its threads, over a period without calls. Some calls are made before, so that all
 * serving code is loaded. Reads /proc: Linux only.
 *
 * Run: node bench/micro/idle.ts [--seconds 60] [--settle 15] [--database sqlite|postgres] [--workers N]
 * [--health] [--page]
 *
 * `--health`: with the health listener. `--page`: with one page of the console open. `RIG_PLAZA`, the path of
 * a `plaza.mjs`, measures another build.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startPostgres } from "../../test/postgres/server.ts";
import { oneUpstream } from "../../test/rigs/harness/catalog.ts";
import { get, post } from "../../test/rigs/harness/http-client.ts";
import { monotonicMs, pause } from "../../test/rigs/harness/measure/clock.ts";
import { type Plaza, startPlaza } from "../../test/rigs/harness/processes/plaza.ts";
import { startUpstreamProcess } from "../../test/rigs/harness/processes/upstream-process.ts";
import { processTree, pssKib, rssKib } from "../measure/process-stat.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    settle: { type: "string", default: "15" },
    database: { type: "string", default: "sqlite" },
    workers: { type: "string", default: "1" },
    health: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  },
});

const operatorToken = `operator-${"t".repeat(40)}`;
/** Number of calls before, and the polling interval of an open page. */
const callsBefore = 20;
const statusesEveryMs = 1_000;
const asksPerHealth = 5;

interface ThreadUse {
  readonly name: string;
  readonly cpuMs: number;
  /** Voluntary context switches: each is one wake-up. */
  readonly sleeps: number;
}

/** Resource use of each thread of a process so far, by thread id. */
function threadsOf(pid: number): Map<string, ThreadUse> {
  const threads = new Map<string, ThreadUse>();
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${tid}`;
    const [nanoseconds = "0"] = readFileSync(`${folder}/schedstat`, "utf8").split(" ");
    const status = readFileSync(`${folder}/status`, "utf8");
    const sleeps = Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
    const name = readFileSync(`${folder}/comm`, "utf8").trim();
    threads.set(tid, { name, cpuMs: Number(nanoseconds) / 1e6, sleeps });
  }
  return threads;
}

/** Resource use between two readings, by thread name. */
function usedBetween(before: Map<string, ThreadUse>, after: Map<string, ThreadUse>): ThreadUse[] {
  const sums = new Map<string, ThreadUse>();
  for (const [tid, { name, cpuMs, sleeps }] of after) {
    const began = before.get(tid) ?? { cpuMs: 0, sleeps: 0 };
    const sum = sums.get(name) ?? { name, cpuMs: 0, sleeps: 0 };
    sums.set(name, {
      name,
      cpuMs: sum.cpuMs + cpuMs - began.cpuMs,
      sleeps: sum.sleeps + sleeps - began.sleeps,
    });
  }
  return [...sums.values()].sort((left, right) => right.cpuMs - left.cpuMs);
}

/** Polls like the console's health page until stopped. */
function openPage({ origin }: Plaza): () => void {
  let asked = 0;
  const ask = (path: string) => get(`${origin}${path}`, { authorization: `Bearer ${operatorToken}` });
  const timer = setInterval(() => {
    if (asked % asksPerHealth === 0) void ask("/api/operator/health");
    asked += 1;
    void ask("/api/plaza-statuses");
  }, statusesEveryMs);
  return () => clearInterval(timer);
}

async function callSome({ chatUrl, key }: Plaza): Promise<void> {
  const body = JSON.stringify({
    model: "rig-model",
    max_tokens: 4,
    messages: [{ role: "user", content: "hi" }],
  });
  for (let made = 0; made < callsBefore; made += 1) {
    const { status } = await post({ url: chatUrl, key, body });
    if (status !== 200) throw new Error(`a call was answered with ${status}`);
  }
}

/** Prints the resource use of each process. */
async function measure({ pid }: Plaza): Promise<void> {
  const pids = processTree(pid);
  const before = pids.map(threadsOf);
  const beganMs = monotonicMs();
  await pause(Number(options.seconds) * 1_000);
  const tookMs = monotonicMs() - beganMs;
  const percentOf = (cpuMs: number) => `${((100 * cpuMs) / tookMs).toFixed(2)} %`;
  const perSecond = (sleeps: number) => (sleeps / (tookMs / 1_000)).toFixed(1);
  pids.forEach((one, index) => {
    const threads = usedBetween(before[index] as Map<string, ThreadUse>, threadsOf(one));
    const cpuMs = threads.reduce((sum, thread) => sum + thread.cpuMs, 0);
    const sleeps = threads.reduce((sum, thread) => sum + thread.sleeps, 0);
    const role = pids.length === 1 ? "the process" : index === 0 ? "the primary" : `worker ${index}`;
    const memory = `RSS ${((rssKib(one)[0] ?? 0) / 1024).toFixed(0)} MiB`;
    console.log(`${role}: ${percentOf(cpuMs)} of a core, ${perSecond(sleeps)} wake-ups a second, ${memory}`);
    for (const { name, cpuMs: used, sleeps: slept } of threads) {
      if (used > tookMs / 100_000)
        console.log(`  ${name.padEnd(16)} ${percentOf(used)}  ${perSecond(slept)}/s`);
    }
  });
  console.log(`together: PSS ${(pssKib(pid) / 1024).toFixed(0)} MiB`);
}

const upstream = await startUpstreamProcess();
const postgres = options.database === "postgres" ? await startPostgres() : undefined;
const database = await postgres?.newDatabase();
const plaza = await startPlaza({
  catalog: oneUpstream(upstream.baseUrl),
  workers: Number(options.workers),
  database,
  env: { PLAZA_OPERATOR_TOKEN: operatorToken },
  serve: options.health ? ["--health-listen", "127.0.0.1:0"] : [],
});
try {
  await callSome(plaza);
  const closePage = options.page ? openPage(plaza) : () => {};
  await pause(Number(options.settle) * 1_000);
  await measure(plaza);
  closePage();
} finally {
  await plaza.stop();
  await postgres?.close();
  await upstream.stop();
}
