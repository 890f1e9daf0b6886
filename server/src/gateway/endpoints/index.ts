/** All /v1 endpoints that call a model. A new endpoint is a file of its own and an entry here. */
import { chat } from "./chat/chat.ts";

import { completions } from "./completions/completions.ts";
import { embeddings } from "./embeddings/embeddings.ts";
import type { Endpoint } from "./endpoint.ts";
import { geminiGenerate } from "./gemini/generate.ts";
import { messages } from "./messages/messages.ts";
import { responses } from "./responses/responses.ts";

export const endpoints: readonly Endpoint[] = [
  chat,
  completions,
  embeddings,
  responses,
  messages,
  ...geminiGenerate,
];
