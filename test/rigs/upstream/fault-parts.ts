/**
 * Building blocks of faults: errors that leak, incomplete answers, and moved, duplicated or missing events.
 * Pure.
 */
import { formats } from "./answer.ts";
import type { UpstreamError } from "./formats/format.ts";
import { type Asked, type Ending, type Script, type Step, step } from "./script.ts";

/** The whole body of a script as one buffer (repeats written once). */
export function bodyOf(script: Script): Buffer {
  return Buffer.concat(script.steps.map((one) => one.bytes));
}

/** Changes the bytes of every step. */
export function mapEvents(script: Script, change: (bytes: Buffer) => Buffer): Script {
  return { ...script, steps: script.steps.map((one) => ({ ...one, bytes: change(one.bytes) })) };
}

/** The first half of the steps and half of the next one, then `ending`. */
export function halfway(script: Script, ending: Ending): Script {
  const middle = Math.floor(script.steps.length / 2);
  const next = script.steps[middle];
  const kept = script.steps.slice(0, middle);
  if (next !== undefined) {
    kept.push({
      ...next,
      bytes: next.bytes.subarray(0, Math.floor(next.bytes.length / 2)),
      tokens: 0,
      hasUsage: false,
      isFinish: false,
      isEnd: false,
    });
  }
  return { ...script, steps: kept, ending };
}

/**
 * A careless upstream's error text: its credential, address, account and the time. The number at the end of
 * the call's id rotates the leaks, so that each is first in some call and truncation cannot hide it.
 */
function leakyText(asked: Asked): string {
  const turn =
    asked.leaks.length === 0 ? 0 : Number(/\d+$/.exec(asked.callId)?.[0] ?? 0) % asked.leaks.length;
  return [
    ...asked.leaks.slice(turn),
    ...asked.leaks.slice(0, turn),
    `Something is wrong with key ${asked.authorization} at ${asked.address}`,
    "(organization org-RigOrganization0001, project proj_RigProject0001, request id req_RigRequest0001).",
  ].join(" ");
}

/** The body of an error, as the format that was asked has it. */
export const errorBody = (asked: Asked, status: number, error: UpstreamError): string =>
  JSON.stringify(formats[asked.format].error(status, error));

/** An error that leaks. */
export function errorScript(
  status: number,
  type: string,
  code: string | null,
  asked: Asked,
  headers: Record<string, string> = {},
): Script {
  const body = errorBody(asked, status, { message: leakyText(asked), type, code });
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    steps: [step(body)],
    ending: "end",
  };
}

export type EventChange = "usage-twice" | "usage-first" | "error-in-band" | "done-twice" | "done-never";

/**
 * Moves, duplicates or omits whole events; for a whole answer, the nearest equivalent in JSON. An event that
 * says why the answer is over stays where it is.
 */
export function withEvents(script: Script, asked: Asked, change: EventChange): Script {
  if (!asked.isStream) return jsonChange(script, asked, change);
  const { steps } = script;
  const isLate = (one: Step): boolean => one.hasUsage && (one.isFinish || one.tokens === 0);
  const usage = steps.filter((one) => isLate(one) && !one.isEnd);
  const done = steps.filter((one) => one.isEnd);
  const others = steps.filter((one) => !isLate(one) && !one.isEnd);
  switch (change) {
    case "usage-twice":
      return { ...script, steps: [...others, ...usage, ...usage, ...done] };
    case "usage-first":
      return usage.some(({ isFinish }) => isFinish)
        ? script
        : { ...script, steps: [...usage, ...others, ...done] };
    case "done-twice":
      return { ...script, steps: [...steps, ...done] };
    case "done-never":
      return { ...script, steps: [...others, ...usage] };
    case "error-in-band": {
      const error = { message: leakyText(asked), type: "server_error", code: "server_error" };
      const failure = formats[asked.format].failure(500, error);
      // After two tokens, whatever stands before them. Nothing is reported after an error.
      const first = steps.findIndex(({ tokens }) => tokens > 0);
      const rest = done.filter(({ hasUsage }) => !hasUsage);
      return { ...script, steps: [...steps.slice(0, first + 2), step(failure), ...rest] };
    }
  }
}

function jsonChange(script: Script, asked: Asked, change: EventChange): Script {
  if (change === "error-in-band")
    return { ...errorScript(500, "server_error", "server_error", asked), status: 200 };
  const text = bodyOf(script).toString("utf8");
  const usage = /"usage(?:Metadata)?":\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/.exec(text)?.[0];
  const whole = script.steps[0];
  if (usage === undefined || whole === undefined) return script;
  if (change === "usage-twice") {
    return {
      ...script,
      steps: [{ ...whole, bytes: Buffer.from(text.replace(usage, () => `${usage},${usage}`)) }],
    };
  }
  if (change === "usage-first") {
    const without = text.replace(`,${usage}`, "");
    return { ...script, steps: [{ ...whole, bytes: Buffer.from(`{${usage},${without.slice(1)}`) }] };
  }
  return script;
}
