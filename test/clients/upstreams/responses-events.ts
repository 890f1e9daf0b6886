/** Turns a whole Responses answer into the events it is streamed as, in OpenAI's order. */
import { type Fields, fieldsOf, piecesOf, rowsOf, textOf } from "./values.ts";

type Emit = (type: string, fields: Fields) => void;

/** The pieces of the stream, one event each, numbered from 0. */
export function responseEvents(whole: Fields): string[] {
  const pieces: string[] = [];
  const emit: Emit = (type, fields) => {
    const event = { type, sequence_number: pieces.length, ...fields };
    pieces.push(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  emit("response.created", { response: begun });
  emit("response.in_progress", { response: begun });
  for (const [index, item] of rowsOf(whole["output"]).entries()) itemEvents(index, item, emit);
  emit("response.completed", { response: whole });
  return pieces;
}

function itemEvents(index: number, item: Fields, emit: Emit): void {
  const at = { item_id: item["id"], output_index: index };
  const empty: Readonly<Record<string, Fields>> = {
    reasoning: { summary: [] },
    message: { status: "in_progress", content: [] },
    function_call: { status: "in_progress", arguments: "" },
    custom_tool_call: { status: "in_progress", input: "" },
  };
  const type = textOf(item["type"]);
  emit("response.output_item.added", { output_index: index, item: { ...item, ...empty[type] } });
  if (type === "reasoning") reasoningEvents(item, at, emit);
  if (type === "message") messageEvents(item, at, emit);
  if (type === "function_call") {
    const text = textOf(item["arguments"]);
    for (const delta of piecesOf(text, 9)) emit("response.function_call_arguments.delta", { ...at, delta });
    emit("response.function_call_arguments.done", { ...at, name: item["name"], arguments: text });
  }
  if (type === "custom_tool_call") {
    const text = textOf(item["input"]);
    for (const delta of piecesOf(text, 9)) emit("response.custom_tool_call_input.delta", { ...at, delta });
    emit("response.custom_tool_call_input.done", { ...at, input: text });
  }
  emit("response.output_item.done", { output_index: index, item });
}

function reasoningEvents(item: Fields, at: Fields, emit: Emit): void {
  for (const [index, part] of rowsOf(item["summary"]).entries()) {
    const here = { ...at, summary_index: index };
    const text = textOf(part["text"]);
    emit("response.reasoning_summary_part.added", { ...here, part: { ...part, text: "" } });
    for (const delta of piecesOf(text, 12)) emit("response.reasoning_summary_text.delta", { ...here, delta });
    emit("response.reasoning_summary_text.done", { ...here, text });
    emit("response.reasoning_summary_part.done", { ...here, part });
  }
}

function messageEvents(item: Fields, at: Fields, emit: Emit): void {
  const part = fieldsOf(rowsOf(item["content"])[0]);
  const text = textOf(part["text"]);
  const here = { ...at, content_index: 0 };
  emit("response.content_part.added", { ...here, part: { ...part, text: "" } });
  for (const delta of piecesOf(text, 5)) emit("response.output_text.delta", { ...here, delta, logprobs: [] });
  emit("response.output_text.done", { ...here, text, logprobs: [] });
  emit("response.content_part.done", { ...here, part });
}
