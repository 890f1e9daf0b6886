/**
 * Storage threads for tests that open many stores, one after the other: starting a thread and loading its
 * code takes longer than most of these tests.
 */
import type { Worker } from "node:worker_threads";
import type { CallMessage, ReplyMessage } from "../thread/messages.ts";
import { type StorageThreads, startThread } from "../thread/start.ts";

/** Resolves after the thread has answered all that it was asked before. */
async function answerOf(worker: Worker): Promise<void> {
  const lastId = -1;
  const last: CallMessage = [lastId, "ping", []];
  const isAnswered = new Promise<void>((resolve) => {
    worker.on("message", ([id]: ReplyMessage) => {
      if (id === lastId) resolve();
    });
  });
  worker.postMessage(last);
  await isAnswered;
}

/** Threads of closed stores wait for the next one. They do not keep the process alive. */
export function createReusedThreads(): StorageThreads {
  const idle: Worker[] = [];
  return {
    take() {
      const worker = idle.pop() ?? startThread();
      worker.ref();
      return worker;
    },
    async give(worker) {
      await answerOf(worker);
      for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
      worker.unref();
      idle.push(worker);
    },
  };
}
