/**
 * Turns plans and directives into a script: which bytes are sent, after which pauses, and how the answer
 * ends. Handles `/fail`, `/html`, `/hang`, `/cut` and `/error`, in this order when several are given.
 */
import { createHash } from "node:crypto";
import { parseJson } from "../../lib/record.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { Script, ScriptStep } from "../provider.ts";
import { findProblem } from "./checks.ts";
import type { Directives } from "./directives.ts";
import { failureOf, problemBody, serverErrorBody } from "./failures.ts";
import { type ChoicePlan, planAnswer } from "./plan.ts";
import { type DemoRequest, readRequest } from "./request.ts";
import { errorEvent, type Identity, streamAnswer, wholeAnswer } from "./wire.ts";

/** Pause between chunks unless `/slow` sets one: short, but long enough to see the streaming. */
const paceMs = 20;

const json = { "content-type": "application/json" };
const eventStream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
const html =
  "<!DOCTYPE html><html><head><title>Sign in</title></head><body>This is not an answer.</body></html>";

/** Bytes of a body that are hashed into the ids, together with its length. */
const hashedBytes = 65_536;

function seedOf(body: Buffer, createdSeconds: number): string {
  const hash = createHash("sha256");
  hash.update(`${createdSeconds} ${body.length} `);
  hash.update(body.subarray(0, hashedBytes)).update(body.subarray(-hashedBytes));
  return hash.digest("hex").slice(0, 20);
}

function answerOnce(status: number, headers: Script["headers"], body: Buffer, afterMs: number): Script {
  return { status, headers, steps: [{ afterMs, bytes: body }], ending: "end" };
}

const jsonBytes = (body: object): Buffer => Buffer.from(JSON.stringify(body));

/** Sends a whole answer after the time its stream would take. With `/cut`, only half of it is sent. */
function playWhole(request: DemoRequest, plans: readonly ChoicePlan[], identity: Identity): Script {
  const { directives } = request;
  const rounds = Math.max(0, ...plans.map(({ pieces }) => pieces.length));
  const afterMs = (directives.wait ?? 0) + (rounds + 1) * (directives.slow ?? paceMs);
  const bytes = wholeAnswer(request, plans, identity);
  const broken = directives.hang ?? directives.cut;
  if (broken !== undefined) {
    const half = bytes.subarray(0, bytes.length >> 1);
    const steps = broken === 0 ? [] : [{ afterMs, bytes: half }];
    return { status: 200, headers: json, steps, ending: directives.hang === undefined ? "cut" : "hang" };
  }
  if (directives.error !== undefined) return answerOnce(200, json, jsonBytes(serverErrorBody), afterMs);
  return answerOnce(200, json, bytes, afterMs);
}

/** Content steps with their pauses. The chunks of one round, one per choice, are sent together. */
function contentSteps(rounds: readonly (readonly Buffer[])[], pauseMs: number): ScriptStep[] {
  return rounds.flatMap((round) =>
    round.map((bytes, index) => ({ afterMs: index === 0 ? pauseMs : 0, bytes })),
  );
}

function playStream(request: DemoRequest, plans: readonly ChoicePlan[], identity: Identity): Script {
  const { directives } = request;
  const pauseMs = directives.slow ?? paceMs;
  const { roles, rounds, closing } = streamAnswer(request, plans, identity);
  const firstMs = (directives.wait ?? 0) + pauseMs;
  const opening = roles.map((bytes, index) => ({ afterMs: index === 0 ? firstMs : 0, bytes }));
  const content = contentSteps(rounds, pauseMs);
  const script = (steps: readonly ScriptStep[], ending: Script["ending"]): Script => ({
    status: 200,
    headers: eventStream,
    steps,
    ending,
  });
  if (directives.hang === 0) return script([], "hang");
  if (directives.hang !== undefined)
    return script([...opening, ...content.slice(0, directives.hang)], "hang");
  if (directives.cut !== undefined) return script([...opening, ...content.slice(0, directives.cut)], "cut");
  if (directives.error !== undefined) {
    const last = { afterMs: pauseMs, bytes: errorEvent(serverErrorBody) };
    return script([...opening, ...content.slice(0, directives.error), last], "end");
  }
  return script([...opening, ...content, ...closing.map((bytes) => ({ afterMs: 0, bytes }))], "end");
}

/** The error answers of `/fail` and `/html`; undefined without them. */
function playRefusal(directives: Directives): Script | undefined {
  const afterMs = directives.wait ?? 0;
  if (directives.fail !== undefined) {
    const { status, headers, body } = failureOf(directives.fail.status, directives.fail.code);
    return answerOnce(status, { ...json, ...headers }, jsonBytes(body), afterMs);
  }
  if (directives.html === true) {
    return answerOnce(200, { "content-type": "text/html; charset=utf-8" }, Buffer.from(html), afterMs);
  }
  return undefined;
}

/** The script of one request. The same body, model and time always give the same script. */
export function playRequest(request: ProviderRequest, model: string, createdSeconds: number): Script {
  const body = parseJson(request.body.toString("utf8"));
  const problem = findProblem(body);
  if (problem !== undefined) return answerOnce(400, json, jsonBytes(problemBody(problem)), 0);
  const demo = readRequest(body as Parameters<typeof readRequest>[0], request.outputTokensMax);
  const refusal = playRefusal(demo.directives);
  if (refusal !== undefined) return refusal;
  const identity = { seed: seedOf(request.body, createdSeconds), model, createdSeconds };
  const plans = planAnswer(demo);
  return request.isStream ? playStream(demo, plans, identity) : playWhole(demo, plans, identity);
}
