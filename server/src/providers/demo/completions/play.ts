/**
 * Plays the demo's answer to a legacy completion with the pauses a model would make. The first prompt may
 * hold directives (docs/start/demo.md). Those that need no conversation are obeyed: `/fail`, `/wait`,
 * `/slow`, `/cut`, `/hang`, `/error` and `/usage none`.
 */
import { createHash } from "node:crypto";
import { type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import type { ProviderRequest } from "../../../protocols/protocol.ts";
import type { Script, ScriptStep } from "../../provider.ts";
import { type Directives, readDirectives } from "../directives.ts";
import { failureOf, problemBody, serverErrorBody } from "../failures.ts";
import type { Identity } from "../wire.ts";
import { completionsOf, streamedCompletion, wholeCompletion } from "./answer.ts";

/** Pause between the pieces of a stream unless `/slow` says otherwise. */
const paceMs = 20;
/** Most completions per request. The demo is not a load generator. */
const completionsMax = 128;

const json = { "content-type": "application/json" };
const eventStream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

const whole = (status: number, headers: Script["headers"], body: Buffer, afterMs: number): Script => ({
  status,
  headers,
  steps: [{ afterMs, bytes: body }],
  ending: "end",
});

const jsonBytes = (body: object): Buffer => Buffer.from(JSON.stringify(body));

/** Directives of the first prompt, if it is text. */
function directivesOf({ prompt }: JsonRecord): Directives {
  const first: unknown = Array.isArray(prompt) ? prompt[0] : prompt;
  return readDirectives(typeof first === "string" ? first : "");
}

/** The refusal of an invalid request or of `/fail`; undefined when there is an answer to give. */
function refusalOf(body: JsonRecord, { fail, wait = 0 }: Directives): Script | undefined {
  if (fail !== undefined) {
    const { status, headers, body: error } = failureOf(fail.status, fail.code);
    return whole(status, { ...json, ...headers }, jsonBytes(error), wait);
  }
  if (completionsOf(body) <= completionsMax) return undefined;
  const message = `The demo writes at most ${completionsMax} completions at once.`;
  return whole(400, json, jsonBytes(problemBody({ message, param: "prompt", code: null })), 0);
}

function playStream(events: readonly Buffer[], { slow = paceMs, wait = 0, ...broken }: Directives): Script {
  const steps = events.map(
    (bytes, index): ScriptStep => ({ afterMs: index === 0 ? wait + slow : slow, bytes }),
  );
  const script = (shown: readonly ScriptStep[], ending: Script["ending"]): Script => ({
    status: 200,
    headers: eventStream,
    steps: shown,
    ending,
  });
  if (broken.hang !== undefined) return script(steps.slice(0, broken.hang), "hang");
  if (broken.cut !== undefined) return script(steps.slice(0, broken.cut), "cut");
  if (broken.error === undefined) return script(steps, "end");
  const error = Buffer.from(`data: ${JSON.stringify(serverErrorBody)}\n\n`);
  return script([...steps.slice(0, broken.error), { afterMs: slow, bytes: error }], "end");
}

function playWhole(bytes: Buffer, { slow = paceMs, wait = 0, ...broken }: Directives): Script {
  const afterMs = wait + slow;
  const most = broken.hang ?? broken.cut;
  if (most !== undefined) {
    const steps = most === 0 ? [] : [{ afterMs, bytes: bytes.subarray(0, bytes.length >> 1) }];
    return { status: 200, headers: json, steps, ending: broken.hang === undefined ? "cut" : "hang" };
  }
  return whole(200, json, broken.error === undefined ? bytes : jsonBytes(serverErrorBody), afterMs);
}

/** The script of one request. The same body, model and time always give the same script. */
export function playCompletion(request: ProviderRequest, model: string, createdSeconds: number): Script {
  const body = recordOf(parseJson(request.body.toString("utf8")));
  const directives = directivesOf(body);
  const refusal = refusalOf(body, directives);
  if (refusal !== undefined) return refusal;
  const hash = createHash("sha256").update(`${createdSeconds} `).update(request.body);
  const identity: Identity = { seed: hash.digest("hex").slice(0, 20), model, createdSeconds };
  const options = { outputTokensMax: request.outputTokensMax, hasUsage: directives.usage !== "none" };
  return request.isStream
    ? playStream(streamedCompletion(body, identity, options), directives)
    : playWhole(wholeCompletion(body, identity, options), directives);
}
