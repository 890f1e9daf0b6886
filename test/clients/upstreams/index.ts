/** The four scripted models. */
import type { WireName } from "../program.ts";
import { chatWire } from "./chat.ts";
import { geminiWire } from "./gemini.ts";
import { messagesWire } from "./messages.ts";
import { responsesWire } from "./responses.ts";
import type { Wire } from "./server.ts";

export const wires: Readonly<Record<WireName, Wire>> = {
  chat: chatWire,
  messages: messagesWire,
  gemini: geminiWire,
  responses: responsesWire,
};
