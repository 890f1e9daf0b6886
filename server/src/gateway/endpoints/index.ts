/** All endpoints that call a model. A new endpoint is a file of its own and an entry here. */
import { azureStyle } from "./azure-style.ts";
import { chat } from "./chat/chat.ts";
import { completions } from "./completions/completions.ts";
import { embeddings } from "./embeddings/embeddings.ts";
import type { Endpoint } from "./endpoint.ts";
import { geminiCountTokens } from "./gemini/count-tokens.ts";
import { geminiEmbed } from "./gemini/embed.ts";
import { geminiGenerate } from "./gemini/generate.ts";
import { countTokens } from "./messages/count-tokens.ts";
import { messages } from "./messages/messages.ts";
import { inputTokens } from "./responses/input-tokens.ts";
import { responses } from "./responses/responses.ts";

/** In OpenAI's formats. */
const openai: readonly Endpoint[] = [chat, completions, embeddings, responses];

export const endpoints: readonly Endpoint[] = [
  ...openai,
  messages,
  countTokens,
  inputTokens,
  ...geminiGenerate,
  ...geminiCountTokens,
  ...geminiEmbed,
  ...openai.map(azureStyle),
];
