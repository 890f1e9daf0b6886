/** The chat requests of P34: ordinary ones, and all known ways to ask for more than a parser may notice. */

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

const small: Members = [["max_tokens", "5"]];

/** Members beside model and messages, by the name of the attack. */
const kinds: Readonly<Record<string, (random: Random) => Members>> = {
  ordinary: (random) =>
    random.pick<Members>([
      [],
      small,
      [["max_completion_tokens", "7"]],
      [
        ["temperature", "1"],
        ["service_tier", '"auto"'],
      ],
    ]),
  "ordinary tools": () => [
    ...small,
    [
      "tools",
      '[{"type":"function","function":{"name":"web_search","parameters":{"type":"object","properties":{}}}}]',
    ],
  ],
  // Where it is translated, not every format has two answers.
  "two answers": () => [
    ["max_completion_tokens", "7"],
    ["n", "2"],
  ],
  "two bounds": (random) =>
    random.shuffle<Members[number]>([
      ["max_tokens", "1"],
      ["max_completion_tokens", random.pick(large)],
    ]),
  "two bounds, the other way": (random) => [
    ["max_completion_tokens", "1"],
    ["max_tokens", random.pick(large)],
  ],
  "another name": (random) =>
    random.shuffle([...small, [random.pick(boundNames.slice(2)), random.pick(large)]]),
  "another name alone": (random) => [[random.pick(boundNames.slice(2)), random.pick([...large, "3"])]],
  "in an object": (random) => [
    ...small,
    [random.pick(boxes), `{"${random.pick(boundNames)}":${random.pick(large)}}`],
  ],
  "in two objects": (random) => [
    ...small,
    ["extra_body", `{"${random.pick(boxes)}":{"${random.pick(boundNames)}":${random.pick(large)}}}`],
  ],
  "a number as text": (random) => [...small, [random.pick(boundNames.slice(1)), '"100000"']],
  "many answers": (random) => [
    ...small,
    [random.pick(choiceNames), random.pick(["100", "128", "1000", "99.5"])],
  ],
  "many answers in an object": (random) => [
    ...small,
    [random.pick(boxes), `{"${random.pick(choiceNames)}":128}`],
  ],
  "a bound spelled otherwise": (random) => [
    ...small,
    [respelled(random.pick(boundNames), random), random.pick(large)],
  ],
  "answers spelled otherwise": (random) => [...small, [respelled(random.pick(choiceNames), random), "128"]],
  "a model spelled otherwise": (random) => [...small, [respelled("model", random), '"dear-model"']],
  "a bound twice": (random) => [...small, ["max_tokens", random.pick(large)]],
  "a bound twice in an object": (random) => [
    ...small,
    ["options", `{"num_predict":1,"num_predict":${random.pick(large)}}`],
  ],
  "spelled otherwise in an object": (random) => [
    ...small,
    ["options", `{"${respelled("num_predict", random)}":${random.pick(large)}}`],
  ],
  "another model in an object": () => [...small, ["extra_body", '{"model":"dear-model"}']],
  sound: (random) => [
    ["max_tokens", "20000"],
    [
      "modalities",
      random.pick([
        '["text","audio"]',
        '["text","\\u0061udio"]',
        '["text","\\u0061\\u0075\\u0064\\u0069\\u006f"]',
        '["AUDIO"]',
      ]),
    ],
  ],
  "thinking beside": (random) => [
    ...small,
    random.pick<Members[number]>([
      ["thinking_budget", random.pick(large)],
      ["extra_body", `{"thinking_budget":${random.pick(large)}}`],
      [respelled("thinking_budget", random), "100000"],
    ]),
  ],
  "charged apart": (random) => [
    ...small,
    random.pick([
      ["service_tier", '"priority"'],
      ["service_tier", '"pri\\u006frity"'],
      ["web_search_options", "{}"],
      ["plugins", '[{"id":"web"}]'],
      ["extra_body", '{"google":{"google_search":{}}}'],
      ["tools", '[{"type":"web_search"}]'],
      ["tools", '[{"type":"function","function":{"name":"f"}},{"googleSearch":{}}]'],
      ["tools", '[{"type":"function","Type":"web_search","function":{"name":"f"}}]'],
      ["fallbacks", '["dear-model"]'],
      [respelled("service_tier", random), '"priority"'],
      ["enable_search", "true"],
    ]),
  ],
  "a prompt elsewhere": (random) => [
    ...small,
    random.pick<Members[number]>([
      ["tools", `[{"type":"function","function":{"name":"f","description":${long(random)}}}]`],
      [
        "response_format",
        `{"type":"json_schema","json_schema":{"name":"a","schema":{"description":${long(random)}}}}`,
      ],
      ["documents", `[${long(random)}]`],
    ]),
  ],
};

export const chatAttacks: Attacks = {
  own: (mark, model) => [
    ["model", JSON.stringify(model)],
    ["messages", JSON.stringify([{ role: "user", content: mark }])],
  ],
  kinds,
};
