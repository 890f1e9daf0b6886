/** What a Responses upstream of other gateways' kind answers: each lie is named as the bug. */
import { functionEvents, reasoningEvents } from "../harness/formats/upstreams.ts";
import {
  endEvent,
  functionCallItem,
  messageEvents,
  messageItem,
  type ResponsesEvent,
  streamOf as responsesStream,
  startEvents,
} from "../harness/responses-shapes.ts";
import type { ScriptedAnswer } from "../harness/scripted-upstream.ts";

type Fields = Record<string, unknown>;

export const call = { id: "call_up", name: "f", args: { a: 1 } };
export const item = functionCallItem(call.id, call.name, call.args);

/** What callers must get, where it is not the usual answer. */
export interface Lie {
  readonly answer: ScriptedAnswer;
  readonly text?: string;
  readonly thoughts?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: object }[];
  readonly usageSource?: "exact" | "estimated";
}

const plainEnd = (output: Parameters<typeof endEvent>[0] = [messageItem("Hello")]): ResponsesEvent =>
  endEvent(output);
const without = (event: ResponsesEvent, ...names: readonly string[]): ResponsesEvent => {
  const response = Object.fromEntries(
    Object.entries(event["response"] as Fields).filter(([name]) => !names.includes(name)),
  );
  return { ...event, response };
};
const unnumbered = (events: readonly ResponsesEvent[]): ScriptedAnswer => ({
  body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  headers: { "content-type": "text/event-stream" },
});
const text = messageEvents(["Hel", "lo"]);
const only = (events: readonly ResponsesEvent[], type: RegExp): ResponsesEvent[] =>
  events.filter((event) => type.test(event.type));

export const responsesLies: Readonly<Record<string, Lie>> = {
  "missing output_item.added before deltas": {
    answer: responsesStream([...startEvents(), ...only(text, /delta|done/), plainEnd()]),
  },
  "no events but deltas and the end": {
    answer: responsesStream([...only(text, /delta/), plainEnd([])]),
  },
  "completed without id, output or model": {
    answer: responsesStream([...startEvents(), ...text, without(plainEnd(), "id", "output", "model")]),
  },
  "output: [] after items were streamed": {
    answer: responsesStream([...startEvents(), ...text, ...functionEvents(call, 1), plainEnd([])]),
    calls: [call],
  },
  "missing sequence_number": { answer: unnumbered([...startEvents(), ...text, plainEnd()]) },
  "usage without details": {
    answer: responsesStream([
      ...startEvents(),
      ...text,
      endEvent([messageItem("Hello")], { usage: { input_tokens: 21, output_tokens: 9, total_tokens: 30 } }),
    ]),
  },
  "no usage at all": {
    answer: responsesStream([...startEvents(), ...text, endEvent([messageItem("Hello")], { usage: null })]),
    usageSource: "estimated",
  },
  "function-call items without done": {
    answer: responsesStream([
      ...startEvents(),
      ...text,
      ...only(functionEvents(call, 1), /added|delta/),
      plainEnd([]),
    ]),
    calls: [call],
  },
  "a call only in the last event": {
    answer: responsesStream([...startEvents(), ...text, plainEnd([messageItem("Hello"), item])]),
    calls: [call],
  },
  "reasoning before any item": {
    answer: responsesStream([
      ...startEvents(),
      ...only(reasoningEvents("Thinking.", "opaque", 0), /delta/),
      ...messageEvents(["Hel", "lo"], 1),
      plainEnd(),
    ]),
    thoughts: "Thinking.",
  },
  "unknown item types and events": {
    answer: responsesStream([
      ...startEvents(),
      { type: "response.of_next_month", x: 1 },
      { type: "response.output_item.added", output_index: 0, item: { type: "of_next_month", id: "x" } },
      { type: "response.output_item.done", output_index: 0, item: { type: "of_next_month", id: "x" } },
      ...messageEvents(["Hel", "lo"], 1),
      plainEnd([{ type: "of_next_month", id: "x" }, messageItem("Hello")]),
    ]),
  },
  "the text once more when it is done": {
    answer: responsesStream([...startEvents(), ...text, { ...(text.at(-1) as ResponsesEvent) }, plainEnd()]),
  },
  "two response.created": {
    answer: responsesStream([...startEvents(), ...startEvents(), ...text, plainEnd()]),
  },
};
