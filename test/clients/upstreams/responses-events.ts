/** Turns a whole Responses answer into the events it is streamed as, in OpenAI's order. */
import {
  callItemEvents,
  customItemEvents,
  type ItemEvents,
  numbered,
  reasoningItemEvents,
  responseBegun,
  responseCompleted,
  textItemEvents,
} from "../../wire/responses.ts";
import { type Fields, fieldsOf, piecesOf, rowsOf, textOf } from "./values.ts";

/** The pieces of the stream, one event each, numbered from 0. */
export function responseEvents(whole: Fields): string[] {
  const items = rowsOf(whole["output"]).map((item, index) => itemEvents(index, item));
  const events = [
    ...responseBegun(whole),
    ...items.flatMap(({ begin, deltas, end }) => [...begin, ...deltas, ...end]),
    responseCompleted(whole),
  ];
  return events.map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify(numbered(event, at))}\n\n`);
}

function itemEvents(index: number, item: Fields): ItemEvents {
  switch (item["type"]) {
    case "reasoning":
      return reasoningItemEvents(index, item, (text) => piecesOf(text, 12));
    case "function_call":
      return callItemEvents(index, item, piecesOf(textOf(item["arguments"]), 9));
    case "custom_tool_call":
      return customItemEvents(index, item, piecesOf(textOf(item["input"]), 9));
    default: {
      const text = textOf(fieldsOf(rowsOf(item["content"])[0])["text"]);
      return textItemEvents(index, item, piecesOf(text, 5));
    }
  }
}
