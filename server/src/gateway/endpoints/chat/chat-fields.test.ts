import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import { plainTarget } from "../testing/targets.ts";
import { chat } from "./chat.ts";
import type { ChatFields } from "./chat-fields.ts";

const scanners = createBodyScanners(chat.scanned, { jsonDepthMax: 8, jsonValuesMax: 50 });

function read(text: string): ChatFields {
  const body = Buffer.from(text);
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return chat.read(scanner.end(body), body, plainTarget);
}

/** The code, param and message of the error for this body. */
function refusal(text: string): { code: string; param: string | undefined; message: string } {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return {
      code: error.detail.passedCode ?? error.code,
      param: error.detail.param,
      message: error.message,
    };
  }
  assert.fail(`accepted: ${text}`);
}

const messages = '"messages":[{"role":"user","content":"hi"}]';

test("the fields and spans of a plain request", () => {
  const text = `{ "model" : "a/b:c", ${messages}, "stream":true,"stream_options":{"include_usage":true},"max_tokens":5}`;
  const fields = read(text);
  assert.equal(fields.model, "a/b:c");
  assert.equal(fields.isStream, true);
  assert.equal(fields.showsUsage, true);
  assert.equal(text.slice(fields.spans.model?.start, fields.spans.model?.end), '"a/b:c"');
  const options = fields.spans.stream_options;
  assert.equal(text.slice(options?.start, options?.end), '{"include_usage":true}');
  assert.equal(fields.promptBytes, messages.length - '"messages":'.length);
});

test("what belongs to another format beside chat's own is passed on", () => {
  const both = `{"model":"m",${messages},"input":"hi","tools":[{"type":"function","function":{"name":"g"},"input_schema":{}}]}`;
  assert.equal(read(both).model, "m");
});

test("null counts as absent for optional fields", () => {
  const fields = read(
    `{"model":"m",${messages},"stream":null,"stream_options":null,"max_tokens":null,"n":null}`,
  );
  assert.equal(fields.isStream, false);
  assert.equal(fields.showsUsage, false);
});

const refused: readonly [text: string, code: string, param: string | undefined, words: RegExp][] = [
  ["", "invalid_request", undefined, /empty/],
  ['{"model":', "invalid_request", undefined, /byte 9/],
  ['{"model":"m",}', "invalid_request", undefined, /byte 13/],
  ["[]", "invalid_request", undefined, /JSON object/],
  [`{${messages}}`, "invalid_request", "model", /'model' is missing/],
  [`{"model":null,${messages}}`, "invalid_request", "model", /missing/],
  [`{"model":7,${messages}}`, "invalid_request", "model", /must be a string, not number/],
  [`{"model":"",${messages}}`, "invalid_request", "model", /empty/],
  [`{"model":"${"x".repeat(257)}",${messages}}`, "invalid_request", "model", /too long/],
  ['{"model":"m"}', "invalid_request", "messages", /'messages' is missing/],
  [
    '{"model":"m","input":[{"role":"user"}]}',
    "invalid_request",
    "input",
    /Responses API.*POST \/v1\/responses/,
  ],
  ['{"model":"m","messages":null,"\\u0069nput":"hi"}', "invalid_request", "input", /Responses/],
  ['{"model":"m","metadata":{"input":"hi"}}', "invalid_request", "messages", /'messages' is missing/],
  [
    `{"model":"m","input":"${"x".repeat(1_048_576)}"}`,
    "invalid_request",
    "messages",
    /'messages' is missing/,
  ],
  ...['{"name":"f","input_schema":{}}', '{"type":"function","name":"f","\\u0069nput_schema":{}}'].map(
    (tool): [string, string, string, RegExp] => [
      `{"model":"m",${messages},"tools":[{"type":"function","function":{"name":"g"}},${tool}]}`,
      "invalid_request",
      "tools[1].input_schema",
      /function\.parameters.*POST \/v1\/messages/,
    ],
  ),
  ['{"model":"m","messages":"hi"}', "invalid_request", "messages", /array/],
  ['{"model":"m","messages":[ ]}', "invalid_request", "messages", /at least one/],
  [`{"model":"m",${messages},"stream":"yes"}`, "invalid_request", "stream", /true or false/],
  [`{"model":"m",${messages},"stream_options":{}}`, "invalid_request", "stream_options", /only allowed/],
  [`{"model":"m",${messages},"max_tokens":"5"}`, "invalid_request", "max_tokens", /a number/],
  [`{"model":"m","model":"n",${messages}}`, "invalid_request", "model", /twice/],
  [`{"model":"m",${messages},"\\u006dodel":"n"}`, "invalid_request", "model", /without escapes/],
  [`{"\\u006dodel":"n",${messages}}`, "invalid_request", "model", /without escapes/],
  [`{"model":"m",${messages},"MODEL":"n"}`, "invalid_request", "model", /'model' exactly/],
  [`{"model":"m",${messages},"Max_Tokens":9}`, "invalid_request", "max_tokens", /exactly/],
  [`{"model":"m",${messages},"N":9}`, "invalid_request", "n", /exactly/],
  [`{"model":"m",${messages},"\u017ftream":true}`, "invalid_request", "stream", /exactly/],
  [`{"model":"m",${messages},"max_to\u212aens":9}`, "invalid_request", "max_tokens", /exactly/],
  [`{"model":"m",${messages},"\\u004d\\u004fDEL":"n"}`, "invalid_request", "model", /exactly/],
  // The longest names with every letter escaped.
  ...["max_completion_tokens", "max_tokens_to_sample"].map((name): [string, string, string, RegExp] => [
    `{"model":"m",${messages},"${[...name.toUpperCase()].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("")}":9}`,
    "invalid_request",
    name,
    /exactly/,
  ]),
  [`{"model":"m","mod\\u0065l":"m",${messages}}`, "invalid_request", "model", /exactly/],
  [`{"model":"m",${messages},"Messages":[]}`, "invalid_request", "messages", /exactly/],
  [
    `{"model":"m",${messages},"stream":true,"Stream_Options":{}}`,
    "invalid_request",
    "stream_options",
    /exactly/,
  ],
  ...["Include_Usage", "include_u\u017fage", "include\\u005fusage"].map(
    (name): [string, string, string, RegExp] => [
      `{"model":"m",${messages},"stream":true,"stream_options":{"include_usage":true,"${name}":false}}`,
      "invalid_request",
      "stream_options.include_usage",
      /exactly/,
    ],
  ),
  [
    `{"model":"m",${messages},"stream":true,"stream_options":{"include_usage":true,"include_usage":false}}`,
    "invalid_request",
    "stream_options.include_usage",
    /twice/,
  ],
  [
    `{"model":"m",${messages},"stream":true,"stream_options":{"x":"${"x".repeat(300_000)}"}}`,
    "invalid_request",
    "stream_options",
    /at most/,
  ],
  [
    `{"model":"m",${messages},"x":${"[".repeat(8)}${"]".repeat(8)}}`,
    "request_too_large",
    undefined,
    /deeper than 8/,
  ],
  [
    `{"model":"m",${messages},"x":[${"1,".repeat(60)}1]}`,
    "request_too_large",
    undefined,
    /more than 50 values/,
  ],
];

for (const [text, code, param, words] of refused) {
  test(`refused: ${text.slice(0, 60)}`, () => {
    const seen = refusal(text);
    assert.deepEqual({ code: seen.code, param: seen.param }, { code, param });
    assert.match(seen.message, words);
  });
}

test("a file that lies at an upstream is refused at its place, where a message names one", () => {
  const part = (member: string): string =>
    `{"model":"m","messages":[{"content":"a"},{"content":[{},${member}]}]}`;
  const rows: readonly (readonly [member: string, place: string])[] = [
    ['{"type":"file","file":{"file_id":"f"}}', "file.file_id"],
    ['{"type":"file","file":{"file\\u005fid":"f"}}', "file.file_id"],
    ['{"type":"file","file":{"file_id":null,"file_id":"f"}}', "file.file_id"],
    ['{"type":"input_file","file_id":"f"}', "file_id"],
    ['{"type":"document","source":{"type":"file","file_id":"f"}}', "source.file_id"],
  ];
  for (const [member, place] of rows) {
    const { code, param } = refusal(part(member));
    assert.deepEqual([code, param], ["not_found", `messages[1].content[1].${place}`], member);
  }
  const schema = '"tools":[{"function":{"parameters":{"properties":{"file_id":{"type":"string"}}}}}]';
  read(`{"model":"m",${messages},${schema}}`);
  read(part('{"type":"text","text":"\\"file_id\\": 5"}'));
  read(part('{"type":"file","file":{"file_id":null,"file_data":"data:,x"}}'));
});

test("an escaped key that is none of ours is left alone", () => {
  assert.equal(read(`{"model":"m",${messages},"\\u4e2d":1}`).model, "m");
});

test("the models a caller takes: the one named, then the list, none twice", () => {
  const cases: [string, string, readonly string[] | undefined][] = [
    ['"model":"a"', "a", undefined],
    ['"model":"a","models":null', "a", undefined],
    ['"model":"a","models":[]', "a", undefined],
    ['"model":"a","models":["a"]', "a", undefined],
    ['"model":"a","models":["b","a","b","c"]', "a", ["b", "c"]],
    ['"models":["b","c"]', "b", ["c"]],
    ['"model":null,"models":["\\u0062"]', "b", undefined],
  ];
  for (const [text, model, others] of cases) {
    const fields = read(`{${text},${messages}}`);
    assert.deepEqual([fields.model, fields.otherModels], [model, others], text);
  }
});

test("a list of models that is none is refused by its name", () => {
  const long = JSON.stringify("x".repeat(257));
  for (const list of [
    '"a"',
    "1",
    "{}",
    "true",
    "[1]",
    "[null]",
    '[""]',
    `[${long}]`,
    '["a","b","c","d","e","f","g","h","i"]',
  ]) {
    const { code, param } = refusal(`{"model":"a","models":${list},${messages}}`);
    assert.deepEqual([code, param], ["invalid_request", "models"], list);
  }
  assert.equal(refusal(`{"models":[],${messages}}`).param, "model");
  assert.equal(refusal(`{"model":"","models":["a"],${messages}}`).param, "model");
  assert.equal(refusal(`{"model":"a","mod\\u0065ls":["a"],${messages}}`).param, "models");
});
