/**
 * A chat request through the model and back: what is read of the second is what was
 * read of the first. `SEED` repeats a run.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Conversation } from "../../conversation/conversation.ts";
import {
  assistant,
  call,
  conversationOf,
  results,
  user,
  words,
} from "../../conversation/testing/conversations.ts";
import { anyRequest, plainRequest } from "../../providers/testing/translate-requests.ts";
import { Untranslatable } from "../untranslatable.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeRequest } from "./encode-request.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

function read(body: object): Conversation | undefined {
  try {
    return decodeRequest(Buffer.from(JSON.stringify(body)));
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** Without the places things stood at, which old names change, and the order of what was set. */
function meaning({ parameters, toolUse, ...rest }: Conversation): unknown {
  const { hasRoomForOne: _, isParallel: __, ...use } = toolUse;
  const extras = parameters.filter(({ setting }) => setting === undefined);
  const byName = extras.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return JSON.parse(
    JSON.stringify({ ...rest, use, byName }, (key, value: unknown) =>
      /^path$|Path$/.test(key) ? undefined : value,
    ),
  ) as unknown;
}

for (const [title, requests] of [
  ["any request that can be read", anyRequest],
  ["what every protocol can say", plainRequest],
] as const) {
  test(`${title} means the same after a round trip`, () => {
    let done = 0;
    const property = fc.property(requests, (body) => {
      const first = read(body);
      if (first === undefined) return;
      done += 1;
      const isStream = body["stream"] === true;
      const sent = encodeRequest(first, { isStream }, "m");
      const second = read(sent);
      assert.ok(second !== undefined, JSON.stringify(sent));
      assert.deepEqual(meaning(second), meaning(first));
    });
    fc.assert(property, { numRuns: 500, seed });
    assert.ok(done > 100, `only ${done} could be read`);
  });
}

test("a conversation of another protocol is written in chat's words, without that protocol's extras", () => {
  const turns = [
    user({ ...words("Q"), extras: { theirs: 1 } }),
    assistant(words("Looking."), call("a"), call("b")),
    results("a", "b"),
  ];
  const sampling = { ...conversationOf({}).sampling, temperature: 0.5 };
  const parameters = [{ name: "theirs", setting: undefined, value: 1 }];
  const asked = conversationOf({ turns, sampling, parameters, stop: ["END"], outputTokens: 50 });
  assert.deepEqual(encodeRequest(asked, { isStream: true, outputTokensMax: 20 }, "gpt"), {
    model: "gpt",
    messages: [
      { role: "user", content: [{ type: "text", text: "Q" }] },
      {
        role: "assistant",
        content: "Looking.",
        tool_calls: ["a", "b"].map((id) => ({
          id,
          type: "function",
          function: { name: "f", arguments: "{}" },
        })),
      },
      { role: "tool", tool_call_id: "a", content: "result of a" },
      { role: "tool", tool_call_id: "b", content: "result of b" },
    ],
    max_completion_tokens: 20,
    stop: ["END"],
    stream: true,
    temperature: 0.5,
  });
});
