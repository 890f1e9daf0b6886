/**
 * What Plaza has for LiteLLM's providers, by the word before the first slash of `litellm_params.model`.
 * Source: LiteLLM's list of providers (docs.litellm.ai/docs/providers), 2026-10.
 */
import type { Operation } from "@plaza/contract/operations.ts";

interface LitellmProvider {
  /** A preset or provider of Plaza's. */
  readonly target: string;
  /** The operation, where the word says it. */
  readonly operation?: Operation;
  /** `required`: it is a server of the operator's own. */
  readonly address?: "required";
}

const own = (target: string): LitellmProvider => ({ target, address: "required" });

export const litellmProviders: Readonly<Record<string, LitellmProvider>> = {
  openai: { target: "openai" },
  "text-completion-openai": { target: "openai", operation: "completion" },
  custom_openai: own("openai"),
  openai_like: own("openai"),
  litellm_proxy: own("openai"),
  hosted_vllm: own("vllm"),
  vllm: own("vllm"),
  lm_studio: own("lmstudio"),
  llamafile: own("llamacpp"),
  ollama: { target: "ollama" },
  ollama_chat: { target: "ollama" },
  azure: { target: "azure", address: "required" },
  azure_text: { target: "azure", operation: "completion", address: "required" },
  anthropic: { target: "anthropic" },
  gemini: { target: "google" },
  bedrock: { target: "bedrock" },
  mistral: { target: "mistral" },
  codestral: { target: "mistral" },
  groq: { target: "groq" },
  deepseek: { target: "deepseek" },
  xai: { target: "xai" },
  openrouter: { target: "openrouter" },
  together_ai: { target: "together" },
  fireworks_ai: { target: "fireworks" },
  cohere: { target: "cohere" },
  cohere_chat: { target: "cohere" },
  cerebras: { target: "cerebras" },
  moonshot: { target: "moonshot" },
  dashscope: { target: "qwen" },
  zai: { target: "zhipu" },
  minimax: { target: "minimax" },
  deepinfra: { target: "deepinfra" },
  huggingface: { target: "huggingface" },
  nvidia_nim: { target: "nvidia" },
  nebius: { target: "nebius" },
  sambanova: { target: "sambanova" },
  novita: { target: "novita" },
  baseten: { target: "baseten" },
  volcengine: { target: "ark" },
  ovhcloud: { target: "ovhcloud" },
  vercel_ai_gateway: { target: "vercel" },
};

/** LiteLLM's modes by Plaza's operation; a mode that is absent here is not served. */
export const litellmModes: Readonly<Record<string, Operation>> = {
  chat: "chat",
  responses: "chat",
  completion: "completion",
  embedding: "embeddings",
};

/** Settings with a counterpart of another form, or none: what to do instead. */
export const litellmSettings: Readonly<Record<string, string>> = {
  master_key: "operators sign in to the console, or use PLAZA_OPERATOR_TOKEN",
  database_url: "keys come along when the running proxy is asked: give its address, with --keys",
  drop_params:
    "send the header x-plaza-drop-params: true, or leave it: what asks for a manner is always dropped",
  num_retries: "Plaza retries by itself, within the time a caller may wait (docs/operate/routing.md)",
  max_retries: "Plaza retries by itself, within the time a caller may wait (docs/operate/routing.md)",
  allowed_fails: "Plaza leaves out what fails by itself (docs/operate/routing.md)",
  cooldown_time: "Plaza leaves out what fails by itself (docs/operate/routing.md)",
  routing_strategy: "Plaza routes by priority, weight, load and health (docs/operate/routing.md)",
  request_timeout: "set the timers of upstreams (docs/operate/catalog.md)",
  timeout: "set the timers of upstreams (docs/operate/catalog.md)",
  max_budget: "give accounts balances and keys budgets",
  budget_duration: "give accounts balances and keys budgets",
  context_window_fallbacks:
    "a fallback of Plaza is asked when every deployment failed, not when a prompt is too long",
  content_policy_fallbacks:
    "a fallback of Plaza is asked when every deployment failed, not when a filter refused",
  default_fallbacks: "give each model its own fallbacks",
  callbacks: "metrics, traces and logs are built in (docs/operate/operations.md)",
  success_callback: "metrics, traces and logs are built in (docs/operate/operations.md)",
  failure_callback: "metrics, traces and logs are built in (docs/operate/operations.md)",
  redis_host: "Plaza needs no Redis: limits are exact by the database",
  redis_port: "Plaza needs no Redis: limits are exact by the database",
  redis_password: "Plaza needs no Redis: limits are exact by the database",
  cache: "Plaza keeps no answers but those of an Idempotency-Key",
  cache_params: "Plaza keeps no answers but those of an Idempotency-Key",
  rpm: "Plaza has no limit of one deployment: use limits of the model, or concurrency of the upstream",
  tpm: "Plaza has no limit of one deployment: use limits of the model, or concurrency of the upstream",
  max_parallel_requests: "use concurrency of the upstream (docs/operate/catalog.md)",
};
