/** What to set in a client that calls a path which Plaza does not serve. */

export const pathTexts = {
  "path.addressAlone":
    "Set {setting} to Plaza's address alone, without {without}: the client adds {added} itself.",
  "path.addedAgain":
    "Set {setting} to Plaza's address alone, without {without}: the client adds that itself.",
  "path.either": "{first} or {second}",
  "path.googleOrOpenai":
    "Set {setting} to Plaza's address alone, without /v1beta: the client adds /v1 itself. For a client of OpenAI's formats, set it so that it ends in /v1 alone.",
  "path.withoutV1beta":
    "Set the client's base URL so that it ends in /v1beta (for OpenAI's formats in /v1): this call lacks it.",
  "path.withoutV1": "Set the client's base URL so that it ends in /v1: this call lacks it.",
  "path.withoutV1Codex":
    "Set the client's base URL so that it ends in /v1: this call lacks it. In Codex it is base_url of the provider in ~/.codex/config.toml.",
  "path.wholeAddress":
    "Set the client's base URL so that it ends in /v1, without {path}: the client adds that itself.",
  "path.v1Twice":
    "The path has /v1 twice: set the client's base URL without /v1, because it adds that itself.",
  "path.slashAfterV1": "Take the slash at the end off the client's base URL: it ends in /v1.",
  "path.slashAtEnd": "Take the slash at the end off the client's base URL.",
  "path.responses":
    "Of OpenAI's Responses Plaza serves POST /v1/responses, POST /v1/responses/input_tokens, GET and DELETE /v1/responses/{{id}} and GET /v1/responses/{{id}}/input_items. No response runs in the background, so there is none to cancel, and clients shorten conversations themselves (/compact).",
  "path.messages":
    "Of Anthropic's API Plaza serves POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models, without batches and files.",
  "path.anthropicCompletions":
    "Anthropic's older completions are not served. Use its Messages in the client (messages.create): POST /v1/messages.",
  "path.conversations":
    "Plaza stores no conversations. Continue one with previous_response_id, or send all of its items in input (Agents SDK: a session of the client's own, without a conversation id).",
  "path.anthropic":
    "Set the client's base URL (ANTHROPIC_BASE_URL) to Plaza's address alone, without /anthropic and without /v1: the client adds /v1/messages itself.",
  "path.engines":
    "Plaza serves {paths} and {last}. Update the client: newer ones send the model in the body.",
  "path.azure":
    "Of Azure's API Plaza serves /openai/deployments/{{model}}/ with chat/completions, completions, embeddings and responses, and /openai/v1/ with every path that it has below /v1/.",
  "path.openaiV1": "Below /openai/v1/ Plaza serves every path that it has below /v1/.",
  "path.geminiFiles":
    "Plaza stores no files. Send them within the request, as inlineData, or as fileData with a public address.",
  "path.geminiCaches":
    "Plaza stores no contents. Send them with each call: upstreams cache what prompts begin with by themselves.",
  "path.gemini":
    "Of Gemini's API Plaza serves GET /v1beta/models and, at /v1beta/models/{{model}}, {methods}.",
  "path.vertex":
    "This is Vertex AI's own API. Set the client to the Gemini API (@google/genai: without vertexai; Gemini CLI: GEMINI_API_KEY), with Plaza's address as the base URL and a Plaza key.",
  "path.bedrock": "This is Bedrock's own API. Use an OpenAI client, with a base URL that ends in /v1.",
  "path.withoutApi": "Set the client's base URL so that it ends in /v1, without /api.",
  "path.insteadOfApi": "Set the client's base URL so that it ends in /v1 instead of /api.",
  "path.ollama":
    "This is Ollama's own API. Choose the provider called OpenAI, or OpenAI compatible, in the client, with a base URL that ends in /v1 (Open WebUI: a connection under OpenAI API, not under Ollama API).",
  "path.chat":
    "The path is /v1/chat/completions; clients add /chat/completions to a base URL that ends in /v1.",
  "path.chatCompletions": "The path is /v1/chat/completions.",
  "path.notV2": "Set the client's base URL so that it ends in /v1, not in /v2.",
  "path.balance": "GET /v1/balance tells what is left, with the key as a bearer token.",
  "path.notServed": "Plaza does not serve {what}. Point this part of the client at another service.",
} as const;
