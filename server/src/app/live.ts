/** The live view's parts of a process: it reads its counters, publishes them, and shows them to viewers. */
import { createLiveHub, type LiveHub } from "../control/live/hub.ts";
import type { Gate } from "../gateway/gate/admit.ts";
import type { Overload } from "../gateway/gate/overload.ts";
import type { Leases } from "../gateway/money/leases.ts";
import { createLivePublisher } from "../gateway/observe/live/publisher.ts";
import { createLiveSampler } from "../gateway/observe/live/sampler.ts";
import type { Registry } from "../lib/telemetry/metrics.ts";
import type { Schedule } from "../lib/time/schedule.ts";
import type { AppOptions } from "./options.ts";

const tickMs = 1_000;

export interface LiveParts {
  readonly hub: LiveHub;
  /** Some process has viewers. */
  noteViewers(): void;
  stop(): void;
}

export function startLive(
  { store, clock }: AppOptions,
  parts: {
    registry: Registry;
    schedule: Schedule;
    gate: Gate;
    overload: Overload;
    leases: Leases;
  },
): LiveParts {
  const { registry, schedule, gate, overload, leases } = parts;
  const readings = () => ({
    inFlight: gate.inFlight,
    streams: gate.streams,
    loopLagMs: overload.readings().lagP99Ms,
  });
  const processId = () => leases.holderId;
  const sampler = createLiveSampler({ registry, clock, readings });
  const publisher = createLivePublisher({ sampler, clock, store, processId });
  const own = {
    processId,
    sample: () => sampler.sample(),
    history: () => sampler.history(),
    interestLeftMs: () => publisher.interestLeftMs(),
  };
  const hub = createLiveHub({ store, clock, own, every: (ms, work) => schedule.every(ms, work) });
  const stop = schedule.every(tickMs, () => void publisher.tick());
  return {
    hub,
    noteViewers: () => publisher.noteViewers(),
    stop() {
      hub.close();
      stop();
    },
  };
}
