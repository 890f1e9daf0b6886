/** Options and notes of providers and services. */

export const providerTexts = {
  "provider.chargedApart":
    "what callers may ask for though it is charged apart, like service_tier,web_search_options,tools",
  "provider.geminiOrVertex": "gemini or vertex; where it is absent the base URL tells",
  "provider.azureApiVersion": "an API version, like 2024-10-21 or 2025-04-01-preview",
  "provider.azureAuth": "key, entra or bearer",
  "provider.azureAuthority": "the address tokens are asked for at, like https://login.microsoftonline.us",
  "provider.azureScope": "what tokens are asked for, like https://cognitiveservices.azure.us/.default",
  "provider.awsRegion": "the AWS region calls are signed for; where it is absent the host's name tells",
  "provider.guardrail": "id or ARN of a guardrail every call goes through",
  "provider.guardrailVersion": "version of the guardrail, DRAFT where it is absent",
  "provider.tokenAddress": "where a service account's key is exchanged for a token, instead of at Google",
  "provider.anthropicBeta": "flags for the header anthropic-beta, with commas between them",
  "provider.perplexityEnded":
    "Its chat completions are no more. Its Agent API (POST https://api.perplexity.ai/v1/responses, OpenAI's Responses format) goes on, but Plaza speaks that format to no upstream yet.",
  "provider.githubEnded": "GitHub retired the service: playground, catalog, inference and keys of one's own.",
  "provider.bedrockOpenai":
    "Its credential is a Bedrock API key. Some models are below /openai/v1, and Claude is at provider bedrock.",
  "provider.nvidiaCatalog":
    "The hosted API catalog; a NIM container of one's own is a server at its own address.",
  "provider.accessToken": "Its credential is a programmatic access token.",
  "provider.serviceAccount":
    "Its credential is a service account's key file on one line, or an access token.",
  "provider.demo":
    "Answers from your prompt without any model, so that everything can be tried with no key. See docs/start/demo.md.",
  "provider.demoEmbedding":
    "Vectors made from words without any model: texts with words in common lie near each other. See docs/start/demo.md.",
} as const;
