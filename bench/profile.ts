/** Takes a V8 CPU profile of a process through its inspector, and aggregates it. */

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** The parts of a V8 CPU profile that are read here. */
export interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Time spent in one function, without its callees. */
export interface SelfTime {
  readonly name: string;
  readonly place: string;
  readonly ms: number;
}

const replyTimeoutMs = 30_000;
const samplingIntervalUs = 200;

async function openInspector(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  socket.addEventListener("message", (message) => {
    const reply: { id?: number; result?: unknown; error?: { message: string } } = JSON.parse(
      String(message.data),
    );
    const waiter = waiting.get(reply.id ?? -1);
    waiting.delete(reply.id ?? -1);
    if (reply.error === undefined) waiter?.resolve(reply.result);
    else waiter?.reject(new Error(reply.error.message));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)));
  });
  const send = (method: string, params: object = {}): Promise<unknown> => {
    const waiter = Promise.withResolvers<unknown>();
    const id = ++lastId;
    waiting.set(id, waiter);
    socket.send(JSON.stringify({ id, method, params }));
    const timer = setTimeout(() => waiter.reject(new Error(`${method}: no reply`)), replyTimeoutMs);
    return waiter.promise.finally(() => clearTimeout(timer));
  };
  return { send, close: () => socket.close() };
}

/** Profiles the main thread of a process while `work` runs. */
export async function takeProfile(inspectorUrl: string, work: () => Promise<void>): Promise<CpuProfile> {
  const inspector = await openInspector(inspectorUrl);
  try {
    await inspector.send("Profiler.enable");
    await inspector.send("Profiler.setSamplingInterval", { interval: samplingIntervalUs });
    await inspector.send("Profiler.start");
    await work();
    const { profile } = (await inspector.send("Profiler.stop")) as { profile: CpuProfile };
    return profile;
  } finally {
    inspector.close();
  }
}

/** The functions with the highest self time first; a function with several call paths counts once. */
export function selfTimes(profile: CpuProfile): SelfTime[] {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const totals = new Map<string, { name: string; place: string; ms: number }>();
  profile.samples.forEach((nodeId, index) => {
    const frame = frames.get(nodeId);
    if (frame === undefined) return;
    const name = frame.functionName || "(anonymous)";
    const place = frame.url === "" ? "" : `${frame.url}:${frame.lineNumber + 1}`;
    const key = `${name} ${place}`;
    const entry = totals.get(key) ?? { name, place, ms: 0 };
    entry.ms += (profile.timeDeltas[index] ?? 0) / 1000;
    totals.set(key, entry);
  });
  return [...totals.values()].toSorted((a, b) => b.ms - a.ms);
}
