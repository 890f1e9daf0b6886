/**
 * Writes answers as Bedrock's upstream does (docs/wire/bedrock-converse.md), with the framing of AWS's own
 * codec.
 */
import { json, type Wire } from "../../testing/wire.ts";
import { frame as frameOf } from "../fixtures/build.ts";

/** One message of AWS's event-stream framing. */
export const frame = (kind: "event" | "exception", type: string, payload: object): Buffer =>
  frameOf(
    { [`:${kind}-type`]: type, ":content-type": "application/json", ":message-type": kind },
    json(payload),
  );
const converseUsage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
export const bedrockWire: Wire = {
  id: "bedrock",
  basePath: "",
  credential: "AKIA0123456789ABCDEF:wJalrXUtnFEMIK7MDENGbPxRfiCY0123456789",
  options: { region: "us-east-1" },
  streamType: "application/vnd.amazon.eventstream",
  whole: (text) =>
    json({
      output: { message: { role: "assistant", content: [{ text }] } },
      stopReason: "end_turn",
      usage: converseUsage,
      metrics: { latencyMs: 1 },
    }),
  stream: (text) => ({
    begin: Buffer.concat([
      frame("event", "messageStart", { role: "assistant" }),
      frame("event", "contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
    ]),
    rest: Buffer.concat([
      frame("event", "contentBlockStop", { contentBlockIndex: 0 }),
      frame("event", "messageStop", { stopReason: "end_turn" }),
      frame("event", "metadata", { usage: converseUsage, metrics: { latencyMs: 1 } }),
    ]),
  }),
  error: (_status, type, text) => json({ __type: `com.amazon.coral.service#${type}`, message: text }),
  errorHeaders: (type) => ({ "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` }),
  streamError: (_status, type, text) =>
    frame("exception", `${type[0]?.toLowerCase()}${type.slice(1)}`, { message: text }),
};
