/** OpenAI's Agents SDK, over its default, Responses, or over chat completions. */
import {
  apiKey,
  baseUrl,
  bash,
  description,
  load,
  model,
  prompt,
  schema,
  turnsMax,
  variant,
} from "./shell.mjs";

const agents = load("@openai/agents");
const { default: OpenAI } = load("openai");
agents.setTracingDisabled(true);
agents.setDefaultOpenAIClient(new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 }));
if (variant === "chat") agents.setOpenAIAPI("chat_completions");

const tool = agents.tool({ name: "bash", description, parameters: schema, strict: true, execute: bash });
const agent = new agents.Agent({ name: "worker", model, instructions: "Do the task.", tools: [tool] });
const result = await agents.run(agent, prompt, { stream: true, maxTurns: turnsMax });
await result.completed;
process.stdout.write(String(result.finalOutput));
