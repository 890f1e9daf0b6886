/** Conversations: the files they reference by URL, and where their tool loops began. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantTurn, Conversation, Turn } from "./conversation.ts";
import { extraOf, loopStart, settingOf } from "./conversation.ts";
import { addressesOf, withInlined } from "./media.ts";

const place = { path: "p", cache: undefined, extras: undefined };
const text = { kind: "text", text: "x", ...place } as const;
const image = (url: string, sourcePath: string) =>
  ({ kind: "image", source: { kind: "url", url }, detail: undefined, sourcePath, ...place }) as const;
const assistant = (name: string): AssistantTurn => ({
  role: "assistant",
  ...place,
  path: name,
  blocks: [text],
  callsPath: "c",
});
const user: Turn = { role: "user", ...place, blocks: [text] };
const tool: Turn = { role: "tool", ...place, blocks: [] };
const system: Turn = { role: "system", isDeveloper: false, ...place, blocks: [text] };

test("a tool loop began with the assistant's first turn since the user spoke", () => {
  assert.equal(loopStart([user, assistant("a"), tool, assistant("b"), tool])?.path, "a");
  assert.equal(loopStart([user, assistant("a"), tool, user, assistant("b"), tool])?.path, "b");
  assert.equal(loopStart([user, assistant("a"), system, tool])?.path, "a");
  assert.equal(loopStart([user, assistant("a"), tool, assistant("b")]), undefined);
  assert.equal(loopStart([user]), undefined);
});

test("files named by address are found once each, in results too, and their bytes take the addresses' place", () => {
  const result = {
    kind: "tool result",
    callId: "a",
    name: undefined,
    content: [image("https://a.test/2", "there")],
    isError: undefined,
    cache: undefined,
    path: "r",
    idPath: "r.id",
    extras: undefined,
  } as const;
  const turns: Turn[] = [
    {
      ...user,
      role: "user",
      blocks: [text, image("https://a.test/1", "here"), image("https://a.test/1", "again")],
    },
    { role: "tool", ...place, blocks: [result] },
  ];
  const conversation = { turns } as unknown as Conversation;
  assert.deepEqual(addressesOf(conversation), [
    { url: "https://a.test/1", param: "here", kind: "image" },
    { url: "https://a.test/2", param: "there", kind: "image" },
  ]);
  assert.equal(withInlined(conversation, new Map()), conversation);
  const file = { mediaType: "image/png", bytes: Buffer.from("hi") };
  const made = withInlined(conversation, new Map([["https://a.test/2", file]]));
  assert.deepEqual(addressesOf(made), [{ url: "https://a.test/1", param: "here", kind: "image" }]);
  const [, { blocks }] = made.turns as [Turn, Turn & { role: "tool" }];
  assert.deepEqual(blocks[0]?.content[0], {
    ...image("", "there"),
    source: { kind: "inline", mediaType: "image/png", base64: "aGk=" },
  });
});

test("a setting is found by the model's name, anything else by the caller's", () => {
  const parameters = [
    { name: "thinking", setting: undefined, value: 1 },
    { name: "stop_sequences", setting: "stop", value: ["x"] },
  ] as const;
  const conversation = { parameters } as unknown as Conversation;
  assert.deepEqual(settingOf(conversation, "stop"), ["x"]);
  assert.equal(extraOf(conversation, "thinking"), 1);
  assert.equal(extraOf(conversation, "stop_sequences"), undefined);
});
