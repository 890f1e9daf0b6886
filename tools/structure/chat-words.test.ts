/**
 * In the gateway, only the endpoints' folders may name fields of their requests and responses. What a request
 * may have is what the endpoints say they look for, so that the fields of a new endpoint are known here, too.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { endpoints } from "../../server/src/gateway/endpoints/index.ts";
import { repositoryFiles } from "./sources.ts";

const room = "server/src/gateway/";
/** The folders of endpoints, and that of what they share whose models generate text. */
const ownRoom = /^server\/src\/gateway\/endpoints\/[^/]+\//;

/** Fields whatever the endpoints look for: of answers, of parts of requests, of chat. */
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
  "messages",
  "choices",
  "delta",
  "tools",
  "functions",
  "prediction",
  "temperature",
  "logprobs",
  "prompt",
  "stop",
  "seed",
  "input",
  "n",
];

/**
 * Words that the code around the endpoints needs for what is Plaza's own: a model, its provider and its
 * options, an end that is a `stream`, an id, a limit of `requests`, a class of usage (`input`), what becomes
 * of an upstream's work (`stop`), a store, a metric's `labels`, a kind of media (`audio`). Only a path
 * with an index is found of them.
 */
const plazas = new Set([
  "model",
  "models",
  "provider",
  "options",
  "stream",
  "id",
  "requests",
  "input",
  "stop",
  "store",
  "labels",
  "audio",
]);

/**
 * Words that are members of Plaza's values: the `prompt` that an upstream reported, a target's `seed`, the
 * `fallbacks` of a model, the `url` of a file, the `text` of a splice, CPU time of `user` and `system`, where
 * an answer has its `content`. They are found in texts, not as names of members.
 */
const members = new Set([
  "prompt",
  "seed",
  "fallbacks",
  "url",
  "text",
  "user",
  "system",
  "content",
  "echo",
  "thinking",
]);

const fields = new Set([
  ...always,
  ...endpoints.flatMap(({ scanned, promptField, sessionFields, droppable, madeGood = [] }) => [
    ...scanned.names,
    ...scanned.counted,
    promptField,
    ...sessionFields,
    ...droppable,
    ...madeGood,
  ]),
]);

const isDistinct = (word: string): boolean => /[^a-z]|^chatcmpl$/.test(word);
/** No English words. They must not occur in names or texts. */
const distinct = [...fields].filter(isDistinct);
/** English words: no text may consist of one alone, and no public member may have it as name. */
const plain = [...fields].filter((word) => !isDistinct(word));
const asText = new Set(plain.filter((word) => !plazas.has(word)));
const asMember = new Set([...asText].filter((word) => !members.has(word)));

const oneOf = (words: Iterable<string>): string =>
  `(?:${[...words].map((word) => word.replace(/[[\]]/g, "\\$&")).join("|")})`;
const distinctWord = new RegExp(oneOf(distinct));
/** A field with an index or a member, or below another one: `messages[0]`, `tools.type`, `body.messages`. */
const path = new RegExp(
  `(?<![\\w-])(?:${oneOf(plain)}\\[|${oneOf(asText)}\\.\\w)|(?<=[\\w\\]]\\.)${oneOf(asText)}(?![\\w-])`,
);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string } | null;
  readonly key?: Node;
  readonly property?: Node;
  readonly computed?: boolean;
  readonly operator?: unknown;
  readonly left?: Node;
  readonly literal?: Node;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** A string, a part of a template, or a regular expression without what only escapes. */
function textOf({ value, regex }: Node): string | undefined {
  if (regex) return regex.pattern.replaceAll("\\", "");
  if (typeof value === "string") return value;
  const cooked = (value as { cooked?: unknown } | null | undefined)?.cooked;
  return typeof cooked === "string" ? cooked : undefined;
}

const nameOf = ({ name }: Node): string | undefined => (typeof name === "string" ? name : undefined);

/** What names a member: a key of an object or type, a name after a dot, a text before `in` or in a type. */
function memberOf({ type, key, property, computed, operator, left, literal }: Node): Node | undefined {
  if (operator === "in") return left;
  if (type === "TSLiteralType") return literal;
  return computed === true ? undefined : (key ?? property);
}

/** Every field that a source names, with its line. */
function wordsIn(file: string, text: string): string[] {
  const found: string[] = [];
  const look = (node: Node, parent?: Node): void => {
    // Files are imported by the name of what they hold.
    if (node.type === "ImportDeclaration") return;
    const said = textOf(node);
    const isMember = node.type !== "PrivateIdentifier" && parent !== undefined && memberOf(parent) === node;
    const known = isMember ? asMember : asText;
    const alone = isMember ? (said ?? nameOf(node)) : said;
    const words = [
      distinctWord.exec(said ?? nameOf(node) ?? "")?.[0],
      alone !== undefined && known.has(alone) ? alone : undefined,
      path.exec(said ?? "")?.[0],
    ];
    const line = text.slice(0, node.start).split("\n").length;
    for (const word of words) if (word !== undefined) found.push(`${file}:${line} says ${word}`);
    for (const child of Object.values(node).flat()) if (isNode(child)) look(child, node);
  };
  look(parseSync(file, text).program as unknown as Node);
  return found;
}

test("nothing in the gateway names a field of these formats but their endpoints' rooms", () => {
  const sources = repositoryFiles()
    .filter((file) => file.startsWith(room) && !ownRoom.test(file))
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\/testing\//.test(file));
  assert.ok(sources.length > 60);
  const root = new URL("../../", import.meta.url);
  const found = sources.flatMap((file) =>
    wordsIn(file, readFileSync(fileURLToPath(new URL(file, root)), "utf8")),
  );
  assert.deepEqual(found, []);
});

const words = (text: string): (string | undefined)[] =>
  wordsIn("a.ts", text).map((line) => line.split(" says ")[1]);

test("a field is found as a name, a member, a text and in a template; a comment and a sentence are none", () => {
  assert.deepEqual(words("const max_tokens = 1;"), ["max_tokens"]);
  assert.deepEqual(words("read(chunk.choices)"), ["choices"]);
  assert.deepEqual(words("interface A { readonly choices?: unknown }"), ["choices"]);
  assert.deepEqual(words('field(scan, "messages"); text === "[DONE]"'), ["messages", "[DONE]"]);
  assert.deepEqual(words("const id = `chatcmpl-`;"), ["chatcmpl"]);
  assert.deepEqual(words('/** Reads finish_reason. */ const text = "Shorten the messages.";'), []);
});

test("a field is found in a path, in a regular expression and in a template of one", () => {
  assert.deepEqual(words("const at = /^tools\\[(\\d+)\\]/;"), ["tools["]);
  assert.deepEqual(words("const at = `tools[` + index;"), ["tools["]);
  assert.deepEqual(words('const at = "messages[0].content[1]";'), ["messages["]);
  assert.deepEqual(words('const at = "body.messages";'), ["messages"]);
  assert.deepEqual(words('const at = "input[0]"; const b = /^stop_?/; const c = /top_p/;'), [
    "input[",
    "top_p",
  ]);
});

test("fields of every endpoint are found, and words of Plaza's own only where they are no such word", () => {
  assert.deepEqual(words('a.systemInstruction; b("encoding_format"); c.instructions;'), [
    "systemInstruction",
    "encoding_format",
    "instructions",
  ]);
  assert.deepEqual(words('"prompt" in end; end.prompt; type A = Pick<B, "seed">;'), []);
  assert.deepEqual(words('find("prompt"); const a = { seed: "seed" }; b({ n: 1 });'), [
    "prompt",
    "seed",
    "n",
  ]);
  assert.deepEqual(words('onDisconnect === "stop"; usage.input; message("input.noStream");'), []);
  assert.deepEqual(words('import { messages } from "./messages/messages.ts";'), []);
});
