/**
 * Waits until the ledger has all settlements. While the database is slow or unavailable, they are in a
 * process's journal, and that process or the next one writes them later.
 */
import { eventually } from "../measure/clock.ts";
import type { CompletedAnswer } from "./calls.ts";
import type { MoneyStage } from "./money.ts";

const caughtUpWithinMs = 20_000;

/** Resolves when every answer has its row, or after a timeout; the caller checks the result. */
export async function untilSettled(
  stage: Pick<MoneyStage, "reader">,
  answers: readonly CompletedAnswer[],
): Promise<void> {
  await eventually(
    async () => {
      const rows = new Set((await stage.reader.requests()).map(({ id }) => id));
      return answers.every(({ requestId }) => rows.has(requestId));
    },
    caughtUpWithinMs,
    200,
  );
}
