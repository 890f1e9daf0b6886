/** Where chat names audio that an upstream keeps: in messages that are sent back, and in whole answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import { chat } from "./chat.ts";

const scanners = createBodyScanners(chat.scanned, { jsonDepthMax: 16, jsonValuesMax: 1_000 });

function read(text: string) {
  const body = Buffer.from(text);
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return { body, fields: chat.read(scanner.end(body), body, { tail: "", query: "" }) };
}

const named = (messages: string): string[] => {
  const { body, fields } = read(`{"model":"m","messages":[${messages}]}`);
  return (chat.named?.inRequest(fields, body) ?? []).map(({ id, param }) => `${param}=${id}`);
};

test("the ids of audio in messages, in every duplicate and spelling", () => {
  const user = '{"role":"user","content":"audio"}';
  assert.deepEqual(named(user), []);
  assert.deepEqual(named(`${user},{"role":"assistant","audio":{"id":"a"}}`), ["messages[1].audio.id=a"]);
  for (const [message, ids] of [
    ['{"audio":{"id":"a"},"audio":null}', ["a"]],
    ['{"audio":{"id":"a","id":"b"}}', ["a", "b"]],
    ['{"\\u0061udio":{"\\u0069d":"\\u0061"}}', ["a"]],
    ['{"audio":{"id":5}}', [""]],
    [`{"audio":{"id":"${"x".repeat(600)}"}}`, [""]],
    ['{"audio":null}', []],
    ['{"audio":{"id":null}}', []],
    ['{"audio":{}}', []],
    ['{"content":[{"type":"input_audio","input_audio":{"data":"","format":"wav"}}]}', []],
  ] as const)
    assert.deepEqual(
      named(message),
      ids.map((id) => `messages[0].audio.id=${id}`),
      message,
    );
});

test("the ids of audio in a whole answer, where the request asked for audio", () => {
  const answer = Buffer.from(
    '{"choices":[{"message":{"content":null,"audio":{"id":"a","data":"AAAA"}}},{"message":{"content":"b"}}]}',
  );
  const ids = (more: string): readonly string[] | undefined => {
    const { fields } = read(`{"model":"m","messages":[{"role":"user","content":"hi"}]${more}}`);
    return chat.named?.inAnswer(fields, answer);
  };
  assert.deepEqual(ids(',"audio":{"voice":"v","format":"wav"}'), ["a"]);
  assert.deepEqual(ids(""), []);
});
