/**
 * The catalog and the calls of P15's cells. Each cell has its own upstream, because health state persists
 * between calls.
 */
import { inAllFormats, type RigCatalog, spokenName } from "../harness/catalog.ts";
import { bodyFor, pathOf, type RigCall } from "../harness/endpoints.ts";
import { firstModel } from "../harness/money/money.ts";
import type { Cell } from "./p15-formats.ts";
import { cellName, isSound, isUnreached, isWaiting, shortTimers } from "./p15-table.ts";

/** Timeouts of deployments that must answer, or fail in another way, even on a busy machine. */
const patientTimers = { connect: "5s", firstToken: "20s", idle: "20s", total: "30s" };
const impatientTimers = {
  connect: `${shortTimers.connect}ms`,
  firstByte: `${shortTimers.firstByte}ms`,
  firstToken: `${shortTimers.firstToken}ms`,
  idle: `${shortTimers.idle}ms`,
  total: `${shortTimers.total}ms`,
};

/** The model of a cell's call, and the upstream it is first on. */
const modelOf = (cell: Cell): string => spokenName(cellName(cell), cell.route.spoken);

/** One model and one upstream per cell, whatever its endpoint, and a sound one of each format for all. */
export function catalogOf(
  cells: readonly Cell[],
  baseUrlOf: (cell: Cell) => string,
  soundUrl: string,
): RigCatalog {
  const named = [...new Map(cells.map((cell) => [cellName(cell), cell])).values()];
  const all = inAllFormats({
    upstreams: [
      { id: "sound", baseUrl: soundUrl, timeouts: patientTimers },
      ...named.map((cell) => ({ id: cellName(cell), baseUrl: baseUrlOf(cell), timeouts: patientTimers })),
    ],
    models: named.map((cell) => ({
      id: cellName(cell),
      deployments: [
        {
          upstream: cellName(cell),
          model: firstModel,
          ...(isWaiting(cell) ? { timeouts: impatientTimers } : {}),
        },
        ...(cell.hasFallback ? [{ upstream: "sound", model: "upstream-model" }] : []),
      ],
    })),
  });
  const called = new Set(cells.map(modelOf));
  return {
    upstreams: all.upstreams.filter(({ id }) => called.has(id) || /^sound(?:-\w+)?$/.test(id)),
    models: all.models.filter(({ id }) => called.has(id)),
  };
}

/** A cell with its upstream's instructions. */
export interface CellCall {
  readonly cell: Cell;
  readonly id: string;
  /** Tokens; unique per call, to identify it. */
  readonly prompt: number;
  readonly cached: number;
  readonly tokens: number;
}

const words = "What is wrong with you? ".repeat(20);

function rigCall({ cell, id, prompt, cached, tokens }: CellCall): RigCall {
  const plan = {
    id,
    // The counting upstream cannot play these faults.
    fault: isUnreached(cell) || isSound(cell) ? "" : cell.fault,
    faultModel: firstModel,
    promptTokens: prompt,
    cachedTokens: cached,
    tokens,
  };
  return { model: modelOf(cell), isStream: cell.isStream, maxTokens: 200, plan, text: words };
}

/** The path and the body of a call. */
export function requestOf(call: CellCall): { readonly path: string; readonly body: string } {
  const { endpoint } = call.cell.route;
  const asked = rigCall(call);
  return { path: pathOf(endpoint, asked), body: bodyFor(endpoint, asked) };
}

/** Bytes of the prompt's text, as JSON, of which four count as a token where nobody counts them. */
export function promptBytes(call: CellCall): number {
  const { messages, input, contents } = JSON.parse(requestOf(call).body) as Record<string, unknown>;
  return Buffer.byteLength(JSON.stringify(messages ?? input ?? contents));
}
