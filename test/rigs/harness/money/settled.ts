/**
 * Waits until the ledger has caught up with what callers hold: while the database is slow or
 * away, settlements stand in a process's journal, and are handed over when it is back, by that
 * process or by the next one to start.
 */
import { eventually } from "../measure/clock.ts";
import type { CompletedAnswer } from "./calls.ts";
import type { MoneyStage } from "./money.ts";

const caughtUpWithinMs = 20_000;

/** Resolves when every answer has its row, or when that has taken too long: judging is for others. */
export async function untilSettled(stage: MoneyStage, answers: readonly CompletedAnswer[]): Promise<void> {
  await eventually(
    async () => {
      const rows = new Set((await stage.reader.requests()).map(({ id }) => id));
      return answers.every(({ requestId }) => rows.has(requestId));
    },
    caughtUpWithinMs,
    200,
  );
}
