import assert from "node:assert/strict";
import { test } from "node:test";
import { type ModelRules, rulesOf } from "./models.ts";

/** Ids as Bedrock writes them, with the rules that differ between them. */
const cases: readonly (readonly [id: string, rules: Partial<ModelRules>])[] = [
  [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    { maxOutput: 64_000, sampling: "one", cache: "long", takesSchema: "closed", takesPrefill: true },
  ],
  [
    "global.anthropic.claude-opus-4-7",
    { sampling: "none", cache: "long", takesPrefill: false, topK: undefined },
  ],
  ["anthropic.claude-sonnet-5-5", { forcedTool: "none", canForbidParallel: true }],
  [
    "eu.anthropic.claude-sonnet-4-20250514-v1:0",
    { sampling: "both", cache: "everywhere", takesSchema: "none" },
  ],
  ["us.anthropic.claude-opus-4-1-20250805-v1:0", { maxOutput: 32_000, sampling: "one", cache: "everywhere" }],
  ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", { cache: "everywhere", sampling: "both" }],
  ["anthropic.claude-3-5-sonnet-20241022-v2:0", { cache: "none", reasoning: undefined, topK: ["top_k"] }],
  ["anthropic.claude-3-5-haiku-20241022-v1:0", { cache: "everywhere", reasoning: undefined }],
  ["anthropic.claude-3-haiku-20240307-v1:0", { cache: "none", maxOutput: 4_096 }],
  ["openai.gpt-oss-120b-1:0", { takesSchema: "any", takesStop: true, sampling: "both" }],
  ["openai.gpt-5.1", { takesStop: false, sampling: "none" }],
  ["us.amazon.nova-2-lite-v1:0", { cache: "messages", topK: ["inferenceConfig", "topK"] }],
  ["amazon.nova-pro-v1:0", { cache: "messages", reasoning: undefined }],
  ["us.meta.llama4-maverick-17b-instruct-v1:0", { forcedTool: "none", cache: "none", topK: undefined }],
  ["mistral.mistral-large-2407-v1:0", { forcedTool: "any", hasShortToolIds: true, takesAudio: false }],
  ["mistral.voxtral-small-24b-2507", { hasShortToolIds: true, takesAudio: true }],
  ...(
    [
      ["qwen.qwen3-235b-a22b-2507-v1:0", "closed"],
      ["qwen.qwen3-coder-480b-a35b-v1:0", "closed"],
      ["deepseek.v3-v1:0", "closed"],
      ["deepseek.v3.2", "closed"],
      ["us.deepseek.r1-v1:0", "none"],
      ["google.gemma-3-27b-it", "closed"],
      ["google.gemma-3-4b-it", "none"],
      ["nvidia.nemotron-nano-12b-v2", "closed"],
      ["minimax.minimax-m2", "closed"],
      ["moonshot.kimi-k2-thinking", "closed"],
      ["moonshotai.kimi-k2.5", "closed"],
      ["zai.glm-5", "closed"],
      ["mistral.ministral-3-8b-instruct", "closed"],
      ["mistral.mistral-large-3-675b-instruct", "closed"],
      ["mistral.magistral-small-2509", "closed"],
      ["mistral.mistral-large-2407-v1:0", "none"],
      ["global.anthropic.claude-opus-4-6-v1", "closed"],
      ["global.anthropic.claude-opus-4-7", "none"],
      ["us.anthropic.claude-opus-4-1-20250805-v1:0", "none"],
      ["anthropic.claude-opus-5", "closed"],
      ["us.meta.llama4-maverick-17b-instruct-v1:0", "none"],
      ["amazon.nova-pro-v1:0", "none"],
    ] as const
  ).map(([id, takesSchema]) => [id, { takesSchema }] as const),
  ["cohere.command-r-plus-v1:0", { forcedTool: "none", topK: ["k"] }],
  ["arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0", { cache: "messages" }],
  ["arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", { cache: "none", forcedTool: "named" }],
];

for (const [id, rules] of cases) {
  test(`the rules of ${id}`, () => {
    const found = rulesOf(id);
    for (const [name, value] of Object.entries(rules))
      assert.deepEqual(found[name as keyof ModelRules], value, name);
    assert.equal(rulesOf(id), found);
  });
}
