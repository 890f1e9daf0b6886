/** All endpoints that call a model. A new endpoint is a file of its own and an entry here. */
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

/**
 * An endpoint below `/v1/`, at the address that clients of Azure OpenAI have: below a deployment, which is
 * the model, whatever the body names. Their `api-version` means nothing here.
 */
const azureStyle = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  path: endpoint.path.replace("/v1/", "/openai/deployments/*/"),
  fingerprintMark: undefined,
  read: (scan, body, target) => endpoint.read(scan, body, { ...target, model: target.tail }),
});

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
