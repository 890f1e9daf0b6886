/**
 * Reasoning that one vendor made is never sent to another, whatever format carries it: a conversation begins
 * at one upstream and goes on at another, with and without what is remembered of its calls.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplayMemory } from "../../../../protocols/protocol.ts";
import { createTestMemory } from "../fixture-rig.ts";
import { type PairCaller, pairCallers } from "./callers.ts";
import { answer, callOf } from "./rig.ts";
import type { Got, Question, ToolCall } from "./talk.ts";
import { type PairUpstream, pairUpstreams, type UpstreamName } from "./upstreams.ts";

/** Whose models they serve; a vendor's signatures are good on all of its routes, if for the same model. */
const vendors: Readonly<Record<UpstreamName, string>> = {
  chat: "some server's",
  responses: "OpenAI",
  messages: "Anthropic",
  vertex: "Anthropic",
  converse: "Anthropic",
  gemini: "Google",
};

const opaque = "c2lnbmVkIGJ5IG9uZSB2ZW5kb3IgYWxvbmU=";
const call: ToolCall = { id: "call_aaaaaaaa1", name: "look_up", args: { city: "Oslo" } };
const question: Question = {
  turns: [{ by: "user", text: "What is the weather?" }],
  tools: [call.name],
  thinks: true,
  isStream: false,
};

async function begun(caller: PairCaller, at: PairUpstream, memory: ReplayMemory): Promise<Got> {
  const asked = callOf(caller, at, question, { memory });
  const said = { thoughts: "Oslo, then.", opaque, calls: [call] };
  const { text } = await answer(asked, at, { type: "application/json", pieces: [at.whole(said)] });
  return caller.read(text, false);
}

/** What the next turn's upstream is sent. */
function goneOn(caller: PairCaller, at: PairUpstream, got: Got, memory: ReplayMemory): string {
  const [made] = got.calls;
  assert.ok(made !== undefined);
  const turns = [
    ...question.turns,
    { by: "model", answer: {}, replay: got.replay } as const,
    { by: "tools", results: [{ call: made, text: "Rain." }] } as const,
  ];
  return callOf(caller, at, { ...question, turns }, { memory }).sent.body.toString();
}

/**
 * A server of chat completions gets its callers' bytes as they are: it knows nothing of what it did not make,
 * and passes over it.
 */
const isPassedOn = (caller: PairCaller, reader: PairUpstream): boolean =>
  caller.name === "chat" && reader.name === "chat";

const none: ReplayMemory = { recall: () => undefined, remember: () => {} };

for (const caller of pairCallers)
  test(`${caller.name}: what one vendor signed or sealed reaches that vendor alone`, async () => {
    for (const maker of pairUpstreams.filter(({ name }) => name !== "chat"))
      for (const memory of [none, createTestMemory()]) {
        const got = await begun(caller, maker, memory);
        for (const reader of pairUpstreams) {
          const note = `${caller.name}: from ${maker.name} to ${reader.name}`;
          const sent = goneOn(caller, reader, got, memory);
          assert.ok(sent.includes("Rain.") && sent.includes("Oslo"), note);
          if (reader === maker) assert.ok(sent.includes(opaque), `${note}\n${sent}`);
          else if (vendors[maker.name] !== vendors[reader.name] && !isPassedOn(caller, reader))
            assert.ok(!sent.includes(opaque), `${note}\n${sent}`);
          assert.doesNotMatch(
            sent,
            /plaza-(?:thinking|reasoning|thoughts)|cGxhemEt/,
            `${note}: a payload of ours`,
          );
        }
      }
  });
