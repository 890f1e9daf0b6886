/** A short answer of P34's upstream in each format, which reports what the upstream bills. */
import type { ServerResponse } from "node:http";
import { contentWith, usageMetadata } from "../../wire/gemini.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  inputUsage,
  messageDelta,
  messageStart,
  messageStop,
  messageWith,
  outputUsage,
} from "../../wire/messages.ts";
import {
  numbered,
  responseBegun,
  responseCompleted,
  responseUsage,
  responseWith,
  textItem,
  textItemEvents,
} from "../../wire/responses.ts";
import type { Fields } from "../../wire/tokens.ts";
import type { EndpointName } from "../harness/endpoints.ts";

/** What is reported. */
interface Billed {
  readonly output: number;
  readonly promptTokens: number;
  readonly isAudio: boolean;
  readonly isAudioPrompt: boolean;
  readonly isStream: boolean;
}

interface Answer {
  readonly whole: Fields;
  /** Its events; named by their types where the format does so. */
  readonly events: readonly (Fields | string)[];
}

const tokensOf = ({ promptTokens, output }: Billed) => ({
  input: promptTokens,
  cached: 0,
  output,
  reasoning: 0,
});

function inChat(billed: Billed): Answer {
  const { promptTokens, output, isAudio, isAudioPrompt } = billed;
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: output,
    total_tokens: promptTokens + output,
    ...(isAudioPrompt ? { prompt_tokens_details: { audio_tokens: promptTokens } } : {}),
    ...(isAudio ? { completion_tokens_details: { audio_tokens: output } } : {}),
  };
  const head = { id: "chatcmpl-1", created: 1, model: "upstream-model" };
  const message = { role: "assistant", content: "ok" };
  const chunk = (choices: unknown[], more: object = {}): Fields => ({
    ...head,
    object: "chat.completion.chunk",
    choices,
    ...more,
  });
  return {
    whole: {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    },
    events: [
      chunk([{ index: 0, delta: message, finish_reason: "" }]),
      chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
      chunk([], { usage }),
      "[DONE]",
    ],
  };
}

function inResponses(billed: Billed): Answer {
  const item = textItem("msg_1", "ok");
  const usage = responseUsage(tokensOf(billed));
  const details = billed.isAudio ? { output_tokens_details: { audio_tokens: billed.output } } : {};
  const whole = responseWith("resp_1", { model: "upstream-model" }, [item], { ...usage, ...details });
  const { begin, deltas, end } = textItemEvents(0, item, ["ok"]);
  const events = [...responseBegun(whole), ...begin, ...deltas, ...end, responseCompleted(whole)];
  return { whole, events: events.map(numbered) };
}

function inMessages(billed: Billed): Answer {
  const head = { id: "msg_1", model: "upstream-model" };
  const input = inputUsage(tokensOf(billed));
  const output = outputUsage(tokensOf(billed));
  const block = { type: "text", text: "ok" };
  return {
    whole: { ...messageWith(head, [block], "end_turn"), usage: { ...input, ...output } },
    events: [
      messageStart({ ...messageWith(head, [], null), usage: { ...input, output_tokens: 1 } }),
      blockStart(0, { ...block, text: "" }),
      blockDelta(0, { type: "text_delta", text: "ok" }),
      blockStop(0),
      messageDelta("end_turn", output),
      messageStop,
    ],
  };
}

function inGemini(billed: Billed): Answer {
  const sound = (tokenCount: number) => [{ modality: "AUDIO", tokenCount }];
  const usage = {
    ...usageMetadata(tokensOf(billed)),
    ...(billed.isAudioPrompt ? { promptTokensDetails: sound(billed.promptTokens) } : {}),
    ...(billed.isAudio ? { candidatesTokensDetails: sound(billed.output) } : {}),
  };
  const more = { reason: "STOP", usage, version: "upstream-model", id: "response-1" };
  const whole = contentWith([{ text: "ok" }], more);
  return { whole, events: [whole] };
}

const writers: Readonly<Record<EndpointName, (billed: Billed) => Answer>> = {
  chat: inChat,
  responses: inResponses,
  messages: inMessages,
  gemini: inGemini,
};

function eventText(event: Fields | string): string {
  if (typeof event === "string") return `data: ${event}\n\n`;
  const name = event["type"] === undefined ? "" : `event: ${event["type"]}\n`;
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** Serves it, whole or streamed. `status`: one that says that it went well. */
export function answerGreedily(
  billed: Billed,
  format: EndpointName,
  reply: ServerResponse,
  status = 200,
): void {
  const { whole, events } = writers[format](billed);
  reply.writeHead(status, { "content-type": billed.isStream ? "text/event-stream" : "application/json" });
  reply.end(billed.isStream ? events.map(eventText).join("") : JSON.stringify(whole));
}
