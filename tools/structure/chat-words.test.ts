/** In the gateway, only the endpoints' folders may name fields of their requests and responses. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { repositoryFiles } from "./sources.ts";

const room = "server/src/gateway/";
/** `generation`: shared by endpoints whose models generate text. */
const ownRooms = ["chat", "completions", "generation", "responses", "messages", "gemini"].map(
  (name) => `${room}endpoints/${name}/`,
);

/** Fields of the chat format that are not Plaza's terms. They must not occur in names or texts. */
const always = [
  "max_tokens",
  "max_completion_tokens",
  "finish_reason",
  "stream_options",
  "include_usage",
  "tool_calls",
  "tool_choice",
  "function_call",
  "response_format",
  "logit_bias",
  "prompt_cache_key",
  "reasoning_effort",
  "reasoning_content",
  "prompt_tokens",
  "completion_tokens",
  "image_url",
  "input_audio",
  "presence_penalty",
  "frequency_penalty",
  "top_p",
  "chatcmpl",
  "[DONE]",
];
/**
 * Fields that are also English words: no text may consist of one alone, and no member may have it as name.
 */
const asName = new Set([
  "messages",
  "choices",
  "delta",
  "tools",
  "functions",
  "prediction",
  "temperature",
  "logprobs",
]);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly key?: Node;
  readonly property?: Node;
  readonly computed?: boolean;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** The text of a name, a string or a part of a template. */
function textOf(node: Node): string | undefined {
  if (typeof node.name === "string") return node.name;
  if (typeof node.value === "string") return node.value;
  const cooked = (node.value as { cooked?: unknown } | null | undefined)?.cooked;
  return typeof cooked === "string" ? cooked : undefined;
}

/** Member names: keys of objects and types, and names after a dot. */
const memberOf = ({ key, property, computed }: Node): Node | undefined =>
  computed === true ? undefined : (key ?? property);

/** Every field of the format named in a source, with its line. */
function wordsIn(path: string, text: string): string[] {
  const found: string[] = [];
  const tell = ({ start }: Node, word: string): void => {
    found.push(`${path}:${text.slice(0, start).split("\n").length} says ${word}`);
  };
  const look = (node: Node): void => {
    const said = textOf(node);
    if (said !== undefined) {
      for (const word of always) if (said.includes(word)) tell(node, word);
      if (asName.has(said) && node.type === "Literal") tell(node, said);
    }
    const member = memberOf(node);
    if (member?.type === "Identifier" && asName.has(String(member.name))) tell(member, String(member.name));
    for (const child of Object.values(node).flat()) if (isNode(child)) look(child);
  };
  look(parseSync(path, text).program as unknown as Node);
  return found;
}

test("nothing in the gateway names a field of these formats but their endpoints' rooms", () => {
  const sources = repositoryFiles()
    .filter((path) => path.startsWith(room) && !ownRooms.some((own) => path.startsWith(own)))
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|\/testing\//.test(path));
  assert.ok(sources.length > 60);
  const root = new URL("../../", import.meta.url);
  const found = sources.flatMap((path) =>
    wordsIn(path, readFileSync(fileURLToPath(new URL(path, root)), "utf8")),
  );
  assert.deepEqual(found, []);
});

test("a field is found as a name, a member, a text and in a template; a comment and a sentence are none", () => {
  const words = (text: string) => wordsIn("a.ts", text).map((line) => line.split(" says ")[1]);
  assert.deepEqual(words("const max_tokens = 1;"), ["max_tokens"]);
  assert.deepEqual(words("read(chunk.choices)"), ["choices"]);
  assert.deepEqual(words("interface A { readonly choices?: unknown }"), ["choices"]);
  assert.deepEqual(words('field(scan, "messages"); text === "[DONE]"'), ["messages", "[DONE]"]);
  assert.deepEqual(words("const id = `chatcmpl-`;"), ["chatcmpl"]);
  assert.deepEqual(words('/** Reads finish_reason. */ const text = "Shorten the messages.";'), []);
});
