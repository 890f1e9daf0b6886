/** Streams of every pair, cut anywhere. `CUTS` says how many, `SEED` repeats a run; rig P37 makes 10^5. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../../../../conversation/testing/random-answers.ts";
import { pairCallers } from "./callers.ts";
import { cutOnce } from "./cuts.ts";
import { randomAnswer, toolNames } from "./random-talk.ts";
import { answer, callOf } from "./rig.ts";
import { pairUpstreams } from "./upstreams.ts";

const cuts = Number(process.env["CUTS"] ?? 500);
const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test(`${cuts} random cuts over all pairs (seed ${first})`, async () => {
  const seen = { complete: 0, cut: 0, fault: 0 };
  for (let round = 0; round < cuts; round += 1) seen[await cutOnce(first + round)] += 1;
  if (cuts >= 500) assert.ok(seen.cut > cuts / 4 && seen.fault > 0, JSON.stringify(seen));
  process.stdout.write(`cuts: SEED=${first} CUTS=${cuts}, ${JSON.stringify(seen)}\n`);
});

test("a connection that breaks after the upstream's own last mark changes nothing", async () => {
  const said = randomAnswer(randomOf(first));
  const turns = [{ by: "user", text: "What is new?" }] as const;
  // Gemini's end is that of the connection.
  for (const at of pairUpstreams.filter(({ name }) => name !== "gemini"))
    for (const caller of pairCallers) {
      const call = callOf(caller, at, { turns, tools: toolNames, thinks: true, isStream: true });
      const played = { type: at.streamType, pieces: at.stream(said) };
      const [ended, broken] = [
        await answer(call, at, played),
        await answer(call, at, { ...played, breaks: true }),
      ];
      const note = `SEED=${first}: ${caller.name} at ${at.name}`;
      assert.equal(broken.end.kind, "stream", note);
      assert.deepEqual([broken.text, broken.usage], [ended.text, ended.usage], note);
    }
});
