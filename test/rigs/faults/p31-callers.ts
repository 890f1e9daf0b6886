/**
 * Callers that repeat calls on kept or new connections, streamed and whole, without retries. Every failed
 * call is described.
 */
import { Agent } from "node:http";
import { post, type Seen } from "../harness/http-client.ts";
import { monotonicMs } from "../harness/measure/clock.ts";
import type { Random } from "../harness/random.ts";

export interface Callers {
  readonly name: string;
  /** Number of finished calls. */
  calls(): number;
  readonly failures: string[];
  /** Waits for running calls. */
  stop(): Promise<void>;
}

export interface CallersOrder {
  readonly name: string;
  readonly port: number;
  readonly key: string;
  readonly isKept: boolean;
  readonly lanes: number;
  readonly random: Random;
}

/** A call without an end after this time counts as hanging. */
const hangMs = 30_000;

/** Describes a failed call; undefined = success. */
function failureOf(seen: Seen, isStream: boolean): string | undefined {
  const text = seen.body.toString("utf8");
  if (seen.status !== 200) return `${seen.status} ${seen.problem} ${text.slice(0, 200)}`;
  if (!seen.isWhole) return `cut: ${seen.problem}`;
  return isStream && !text.includes("data: [DONE]") ? "a stream without its end" : undefined;
}

export function startCallers({ name, port, key, isKept, lanes, random }: CallersOrder): Callers {
  let isOver = false;
  let calls = 0;
  const failures: string[] = [];
  const startedAt = monotonicMs();
  const lane = async (own: Random): Promise<void> => {
    const agent = isKept ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    while (!isOver) {
      const stream = own.chance(0.4);
      const x_rig = { tokens: own.int(1, stream ? 60 : 5), gapMs: stream ? own.int(0, 40) : 0 };
      const messages = [{ role: "user", content: "hello" }];
      const body = JSON.stringify({ model: "rig-model", stream, messages, x_rig });
      const url = `http://127.0.0.1:${port}/v1/chat/completions`;
      const seen = await post({ url, key, body, agent, withinMs: hangMs });
      calls += 1;
      const failure = failureOf(seen, stream);
      const after = ((monotonicMs() - startedAt) / 1000).toFixed(2);
      if (failure !== undefined) failures.push(`${name}, after ${after} s: ${failure}`);
    }
    agent?.destroy();
  };
  const running = Array.from({ length: lanes }, (_, index) => lane(random.fork(`${name}-${index}`)));
  return {
    name,
    calls: () => calls,
    failures,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}
