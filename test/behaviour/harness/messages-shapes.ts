/** Requests and responses in the format of Anthropic's Messages API. */

export const messagesUsage = {
  input_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 5,
};

export const textBlock = (text: string) => ({ type: "text", text });

/** A complete message. */
export const wholeMessage = (content: readonly object[], more: object = {}) => ({
  id: "msg_up",
  type: "message",
  role: "assistant",
  model: "upstream-model",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: messagesUsage,
  ...more,
});

export type MessagesEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Events as bytes on the wire. */
export const messagesWire = (events: readonly MessagesEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

export const messageStart = (usage: object = { ...messagesUsage, output_tokens: 1 }): MessagesEvent => ({
  type: "message_start",
  message: {
    ...wholeMessage([]),
    stop_reason: null,
    usage,
  },
});

export const textDelta = (text: string, index = 0): MessagesEvent => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});

export const textEvents = (texts: readonly string[], index = 0): MessagesEvent[] => [
  { type: "content_block_start", index, content_block: textBlock("") },
  ...texts.map((text) => textDelta(text, index)),
  { type: "content_block_stop", index },
];

export const messageEnd = (reason = "end_turn", usage: object = { output_tokens: 5 }): MessagesEvent[] => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];

/** A stream with one text. */
export const textMessage = (...texts: readonly string[]): MessagesEvent[] => [
  messageStart(),
  { type: "ping" },
  ...textEvents(texts),
  ...messageEnd(),
];

/** A scripted answer that streams these events. */
export const streamOf = (events: readonly MessagesEvent[]) => ({
  body: messagesWire(events),
  headers: { "content-type": "text/event-stream" },
});

/** Parses received events. */
export function eventsIn(text: string): MessagesEvent[] {
  return text
    .split("\n\n")
    .filter((event) => event.includes("data: "))
    .map((event) => {
      const data = JSON.parse(event.slice(event.indexOf("data: ") + 6)) as MessagesEvent;
      const name = /^event: (\S+)$/m.exec(event)?.[1];
      if (name !== data.type) throw new Error(`${name} is called ${data.type}`);
      return data;
    });
}
