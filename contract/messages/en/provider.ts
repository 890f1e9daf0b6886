/** Options and notes of providers and services. */

export const providerTexts = {
  "provider.chargedApart":
    "separately charged parameters that callers may use, for example service_tier,web_search_options,tools",
  "provider.geminiOrVertex": "gemini or vertex; by default derived from the base URL",
  "provider.azureApiVersion": "an API version, for example 2024-10-21 or 2025-04-01-preview",
  "provider.azureAuth": "key, entra or bearer",
  "provider.azureAuthority": "the URL that issues tokens, for example https://login.microsoftonline.us",
  "provider.azureScope": "the scope of the tokens, for example https://cognitiveservices.azure.us/.default",
  "provider.awsRegion": "the AWS region for signing requests; by default derived from the host name",
  "provider.guardrail": "the ID or ARN of the guardrail for all requests",
  "provider.guardrailVersion": "the version of the guardrail; DRAFT by default",
  "provider.tokenAddress": "the URL that exchanges a service account's key for a token, instead of Google's",
  "provider.anthropicBeta": "flags of the header anthropic-beta, separated by commas",
  "provider.perplexityEnded":
    "Perplexity discontinued its chat completions. Its Agent API (POST https://api.perplexity.ai/v1/responses, OpenAI's Responses format) continues, but Plaza does not support that format for upstreams yet.",
  "provider.githubEnded":
    "GitHub retired this service, including its playground, catalog, inference and bring-your-own keys.",
  "provider.bedrockOpenai":
    "Use a Bedrock API key. Some models are under /openai/v1. For Claude, use provider bedrock.",
  "provider.nvidiaCatalog": "The hosted API catalog. For your own NIM container, enter its base URL.",
  "provider.accessToken": "Use a programmatic access token as the credential.",
  "provider.serviceAccount":
    "Use a service account's key file on one line, or an access token, as the credential.",
  "provider.demo":
    "Generates replies from your prompt without a model, so you can try everything without a key. See docs/start/demo.md.",
  "provider.demoEmbedding":
    "Vectors made from words without any model: texts with words in common lie near each other. See docs/start/demo.md.",
} as const;
