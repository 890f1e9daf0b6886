/**
 * A stream of a pair that is cut anywhere: it never looks complete, nothing throws, the caller gets one error
 * in its own shape after what came, and no more is counted than was reported.
 */
import assert from "node:assert/strict";
import { type Random, randomOf } from "../../../../conversation/testing/random-answers.ts";
import { type CallerName, pairCallers } from "./callers.ts";
import { randomAnswer, toolNames } from "./random-talk.ts";
import { answer, callOf } from "./rig.ts";
import { type Answer, type Got, tokens } from "./talk.ts";
import { type PairUpstream, pairUpstreams, type UpstreamName } from "./upstreams.ts";

/** What an error is in a stream: one of it, and nothing after it. */
const failures: Readonly<Record<CallerName, RegExp>> = {
  chat: /^(?:event: error\n)?data: \{"error":\{/gm,
  responses: /^event: error\n/gm,
  messages: /^event: error\n/gm,
  gemini: /^data: \{"error":\{/gm,
};

function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const size = 1 + random(random(2) === 0 ? 8 : 900);
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return pieces;
}

/**
 * Pieces that may be missing where the connection ends in order: Converse counts after its end, and some
 * servers of chat completions leave out what follows the finish reason. Bytes that pass have to be all there.
 */
const spared: Readonly<Partial<Record<UpstreamName, number>>> = { converse: 1, chat: 2 };

/** Bytes of a stream from which on it says everything: without the line ends after the last event. */
function completeAt({ name }: PairUpstream, pieces: readonly Buffer[], isStrict: boolean): number {
  const needed = pieces.slice(0, isStrict ? pieces.length : pieces.length - (spared[name] ?? 0));
  return needed.reduce((sum, piece) => sum + piece.length, 0) - (name === "converse" ? 0 : 2);
}

/** Is what the caller has a beginning of what was said? */
function checkBeginning(got: Got, said: Answer): void {
  assert.ok((said.text ?? "").startsWith(got.text), got.text);
  assert.ok((said.thoughts ?? "").startsWith(got.thoughts), got.thoughts);
  assert.deepEqual(
    got.calls.map(({ name }) => name),
    (said.calls ?? []).slice(0, got.calls.length).map(({ name }) => name),
  );
}

/** Cuts one stream of one pair, all of it chosen by `seed`. Throws where the caller was told a lie. */
export async function cutOnce(seed: number): Promise<"complete" | "cut" | "fault"> {
  const random = randomOf(seed);
  const caller = pairCallers[random(pairCallers.length)];
  const at = pairUpstreams[random(pairUpstreams.length)];
  assert.ok(caller !== undefined && at !== undefined);
  const note = `SEED=${seed} CUTS=1: ${caller.name} at ${at.name}`;
  const said = randomAnswer(random);
  const written = at.stream(said);
  const bytes = Buffer.concat(written);
  const length = random(8) === 0 ? bytes.length - random(40) : random(bytes.length);
  const breaks = random(2) === 0;
  const turns = [{ by: "user", text: "What is new?" }] as const;
  const call = callOf(caller, at, { turns, tools: toolNames, thinks: true, isStream: true });
  const pieces = piecesOf(bytes.subarray(0, length), random);
  const { end, status, text, before, usage } = await answer(call, at, {
    type: at.streamType,
    pieces,
    breaks,
  });
  assert.ok((usage?.input ?? 0) <= tokens.input && (usage?.output ?? 0) <= tokens.output, note);
  if (end.kind === "stream") {
    assert.ok(
      length >= completeAt(at, written, breaks || call.isPassing),
      `${note}: ${length} of ${bytes.length} are not all`,
    );
    assert.notEqual(caller.read(text, true).finish, "", note);
    return "complete";
  }
  assert.ok(end.kind === "cut" || end.kind === "fault", `${note}: ${end.kind}`);
  const got = caller.read(text, status === 200);
  assert.equal(got.finish, "", `${note} looks complete`);
  assert.ok(got.error !== undefined, note);
  checkBeginning(got, said);
  assert.equal(end.kind, before === "" ? "fault" : "cut", note);
  if (end.kind === "cut")
    assert.equal(text.match(failures[caller.name])?.length, 1, `${note}\n${text.slice(-900)}`);
  else assert.ok(status >= 500, note);
  return end.kind;
}
