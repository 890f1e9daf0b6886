/** Holds what Plaza wrote down and charged for one run of a client to what the model reported for it. */
import assert from "node:assert/strict";
import type { RequestShown } from "../behaviour/harness/product.ts";
import type { Tokens } from "../wire/tokens.ts";
import { nanosPerToken } from "./rig.ts";
import type { ScriptedModel } from "./upstreams/server.ts";

/** One call as it must be in the list of requests, and is. */
interface Line {
  readonly ended: string;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  readonly source: string;
  /** In billionths of a US dollar. */
  readonly charge: number;
}

const chargeOf = ({ input, cached, output }: Tokens): number =>
  (input - cached) * nanosPerToken.input + cached * nanosPerToken.cachedInput + output * nanosPerToken.output;

const reported = (tokens: Tokens): Line => ({
  ended: "200 complete",
  ...tokens,
  source: "exact",
  charge: chargeOf(tokens),
});

const written = (row: RequestShown): Line => ({
  ended: `${row.status} ${row.state}${row.errorCode === null ? "" : ` ${row.errorCode}`}`,
  input: row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens,
  cached: row.cachedInputTokens,
  output: row.outputTokens,
  reasoning: row.reasoningTokens,
  source: row.usageSource,
  charge: Math.round(Number(row.charge) * 1e9),
});

const inOrder = (lines: readonly Line[]): string[] => lines.map((line) => JSON.stringify(line)).sort();

/** Fails unless there is one row for each call the model answered, with its usage and price, and no other. */
export function holdToReports(rows: readonly RequestShown[], model: ScriptedModel): void {
  const calls = model.calls.flatMap(({ tokens }) => (tokens === undefined ? [] : [reported(tokens)]));
  assert.deepEqual(inOrder(rows.map(written)), inOrder(calls));
}
