/** A stream of chat's chunks, read as strictly as OpenAI's SDK puts it together. */
import assert from "node:assert/strict";

type Fields = Record<string, unknown>;

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

export interface ChatCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The message and the end of a stream of chunks, as OpenAI's SDK puts them together. */
export function gatherChat(bytes: Buffer): Fields {
  const events = bytes
    .toString("utf8")
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length));
  assert.equal(events.pop(), "[DONE]");
  const message: Fields & { tool_calls: ChatCall[] } = { tool_calls: [] };
  let finish: unknown;
  let usage: unknown;
  let first: Fields | undefined;
  for (const data of events) {
    const chunk = JSON.parse(data) as Fields;
    first ??= chunk;
    assert.deepEqual([chunk["id"], chunk["object"]], [first["id"], "chat.completion.chunk"]);
    usage = chunk["usage"] ?? usage;
    const [choice] = listOf(chunk["choices"]);
    if (choice === undefined) continue;
    assert.equal(finish, undefined, "a choice after its end");
    finish = choice["finish_reason"] ?? undefined;
    const { tool_calls: calls, reasoning_details: details, ...texts } = choice["delta"] as Fields;
    for (const [name, text] of Object.entries(texts))
      message[name] = name === "role" ? text : `${message[name] ?? ""}${text ?? ""}`;
    if (details !== undefined)
      message["reasoning_details"] = [...listOf(message["reasoning_details"]), ...listOf(details)];
    for (const { index, id, function: called } of listOf(calls)) {
      const at = index as number;
      const fragment = called as ChatCall["function"];
      const known = message.tool_calls[at];
      if (known === undefined) {
        assert.equal(at, message.tool_calls.length, "calls are numbered in order");
        assert.ok(typeof id === "string" && id !== "" && fragment.name !== "", "a call begins with its id");
        message.tool_calls.push({ id, function: { ...fragment } });
      } else {
        assert.ok(id === undefined || id === known.id, "a call keeps its id");
        const text = known.function.arguments + fragment.arguments;
        message.tool_calls[at] = { ...known, function: { ...known.function, arguments: text } };
      }
    }
  }
  assert.equal(message["role"], "assistant");
  if (message.tool_calls.length === 0) delete (message as Fields)["tool_calls"];
  return { ...first, usage, choices: [{ message, finish_reason: finish }] };
}
