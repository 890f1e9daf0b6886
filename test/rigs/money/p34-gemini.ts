/** The requests of P34 in Gemini's format, whose names have two spellings each. */
import type { Random } from "../harness/random.ts";
import {
  type Attacks,
  boundNames,
  boxes,
  choiceNames,
  large,
  long,
  type Members,
  respelled,
} from "./p34-words.ts";

const configNames = ["generationConfig", "generation_config"] as const;
const ownBounds = ["maxOutputTokens", "max_output_tokens"] as const;
const candidates = ["candidateCount", "candidate_count"] as const;
const budgets = ["thinkingBudget", "thinking_budget"] as const;

const configOf = (random: Random, members: string): Members[number] => [
  random.pick(configNames),
  `{${members}}`,
];
const bound = (random: Random, value: string): string => `"${random.pick(ownBounds)}":${value}`;
const small = (random: Random): Members => [configOf(random, bound(random, "5"))];
const soundWords = ['["AUDIO"]', '["TEXT","audio"]', '["\\u0041UDIO"]'];
const recording = Buffer.alloc(6_000, 7).toString("base64");

export const geminiAttacks: Attacks = {
  own: (mark) => [["contents", JSON.stringify([{ role: "user", parts: [{ text: mark }] }])]],
  kinds: {
    ordinary: (random) =>
      random.pick<Members>([
        [],
        small(random),
        [configOf(random, `${bound(random, "7")},"${random.pick(candidates)}":1`)],
        [...small(random), ["model", '"models/rig-model"']],
      ]),
    "ordinary tools": (random) => [
      ...small(random),
      ["tools", '[{"functionDeclarations":[{"name":"google_search"}]}]'],
    ],
    "a large bound": (random) => [configOf(random, bound(random, random.pick(large)))],
    "both spellings": (random) =>
      random.shuffle<Members[number]>([
        ["generationConfig", `{"maxOutputTokens":1}`],
        ["generation_config", `{${bound(random, random.pick(large))}}`],
      ]),
    "both spellings in one": (random) => [
      configOf(
        random,
        random.shuffle([`"maxOutputTokens":1`, `"max_output_tokens":${random.pick(large)}`]).join(","),
      ),
    ],
    "another name": (random) => [...small(random), [random.pick(boundNames), random.pick(large)]],
    "another name inside": (random) => [
      configOf(random, `${bound(random, "5")},"${random.pick(boundNames)}":${random.pick(large)}`),
    ],
    "in an object": (random) => [
      ...small(random),
      [random.pick(boxes), `{"${random.pick(boundNames)}":${random.pick(large)}}`],
    ],
    "a number as text": (random) => [configOf(random, bound(random, random.pick(['"100000"', '"5"'])))],
    "many answers": (random) => [
      configOf(
        random,
        `${bound(random, "5")},"${random.pick(candidates)}":${random.pick(["8", '"100"', "128"])}`,
      ),
    ],
    "many answers twice": (random) => [
      configOf(random, `${bound(random, "5")},"candidateCount":1,"candidate_count":128`),
    ],
    "many answers elsewhere": (random) => [...small(random), [random.pick(choiceNames), "128"]],
    "a bound spelled otherwise": (random) => [
      configOf(
        random,
        `${bound(random, "5")},"${respelled(random.pick(ownBounds), random)}":${random.pick(large)}`,
      ),
    ],
    "a config spelled otherwise": (random) => [
      ...small(random),
      [respelled(random.pick(configNames), random), `{"maxOutputTokens":${random.pick(large)}}`],
    ],
    "answers spelled otherwise": (random) => [
      configOf(random, `${bound(random, "5")},"${respelled(random.pick(candidates), random)}":128`),
    ],
    "a bound twice": (random) => [
      configOf(random, `"maxOutputTokens":5,"maxOutputTokens":${random.pick(large)}`),
    ],
    "a config twice": (random) => [
      ["generationConfig", '{"maxOutputTokens":5}'],
      ["generationConfig", `{"maxOutputTokens":${random.pick(large)}}`],
    ],
    thinking: (random) => [
      configOf(
        random,
        `${bound(random, random.pick(["5", "2000"]))},"${random.pick(["thinkingConfig", "thinking_config"])}":{"${random.pick(budgets)}":${random.pick(["-1", "0", "24576", "100000"])}}`,
      ),
    ],
    "another model": (random) => [
      ...small(random),
      random.pick<Members[number]>([
        ["model", '"models/dear-model"'],
        [respelled("model", random), '"dear-model"'],
        ["extra_body", '{"model":"dear-model"}'],
        ["generationConfig", '{"routingConfig":{"manualMode":{"modelName":"dear-model"}}}'],
      ]),
    ],
    sound: (random) => [
      configOf(
        random,
        `${bound(random, "20000")},"${random.pick(["responseModalities", "response_modalities"])}":${random.pick(soundWords)}`,
      ),
    ],
    "sound in the prompt": (random) => [
      ...small(random),
      [
        random.pick(["systemInstruction", "system_instruction"]),
        random.pick([
          `{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"${recording}"}}]}`,
          `{"parts":[{"inline_data":{"mime_type":"\\u0061udio/wav","data":"${recording}"}}]}`,
        ]),
      ],
    ],
    "charged apart": (random) => [
      ...small(random),
      random.pick<Members[number]>([
        ["tools", '[{"googleSearch":{}}]'],
        ["tools", '[{"google_search":{}}]'],
        ["tools", '[{"functionDeclarations":[{"name":"f"}],"codeExecution":{}}]'],
        ["tools", `[{"${respelled("urlContext", random)}":{}}]`],
        ["serviceTier", '"priority"'],
        ["service_tier", '"PRIORITY"'],
        [respelled("serviceTier", random), '"priority"'],
        ["extra_body", '{"google":{"google_search":{}}}'],
        ["fallbacks", '["dear-model"]'],
      ]),
    ],
    "a prompt elsewhere": (random) => [
      ...small(random),
      random.pick<Members[number]>([
        ["system_instruction", `{"parts":[{"text":${long(random)}}]}`],
        ["systemInstruction", `{"parts":[{"text":${long(random)}}]}`],
        ["tools", `[{"function_declarations":[{"name":"f","description":${long(random)}}]}]`],
      ]),
    ],
  },
};
