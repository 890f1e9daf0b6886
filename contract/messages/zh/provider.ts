/** Options and notes of providers and services, in Chinese. */

export const providerTexts = {
  "provider.chargedApart": "允许调用方使用的另行计费参数，例如 service_tier,web_search_options,tools",
  "provider.geminiOrVertex": "gemini 或 vertex；留空则由基础 URL 判断",
  "provider.azureApiVersion": "API 版本，例如 2024-10-21 或 2025-04-01-preview",
  "provider.azureAuth": "key、entra 或 bearer",
  "provider.azureAuthority": "签发令牌的 URL，例如 https://login.microsoftonline.us",
  "provider.azureScope": "令牌的范围，例如 https://cognitiveservices.azure.us/.default",
  "provider.awsRegion": "请求签名所用的 AWS 区域；留空则由主机名判断",
  "provider.guardrail": "所有请求使用的 guardrail 的 ID 或 ARN",
  "provider.guardrailVersion": "guardrail 的版本；留空为 DRAFT",
  "provider.tokenAddress": "用服务账号密钥换取令牌的 URL，留空则为 Google",
  "provider.anthropicBeta": "请求头 anthropic-beta 的标志，以逗号分隔",
  "provider.perplexityEnded":
    "Perplexity 已停用其对话补全接口。其 Agent API（POST https://api.perplexity.ai/v1/responses，OpenAI 的 Responses 格式）仍可用，但 Plaza 尚不支持以该格式访问上游。",
  "provider.githubEnded": "GitHub 已下线该服务，包括体验页、模型目录、推理接口以及自带密钥。",
  "provider.bedrockOpenai":
    "请使用 Bedrock API 密钥。部分模型位于 /openai/v1 之下；Claude 请使用协议 bedrock。",
  "provider.nvidiaCatalog": "托管的 API 目录。自行部署的 NIM 容器请填写其基础 URL。",
  "provider.accessToken": "请使用程序化访问令牌作为凭据。",
  "provider.serviceAccount": "请使用写成一行的服务账号密钥文件，或访问令牌作为凭据。",
  "provider.demo": "不使用模型，根据您的提示词生成回复，无需密钥即可试用全部功能。见 docs/start/demo.md。",
  "provider.demoEmbedding":
    "不用任何模型、由词语生成的向量：有相同词语的文本彼此接近。见 docs/start/demo.md。",
} as const;
