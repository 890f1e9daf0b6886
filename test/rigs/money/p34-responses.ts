/** The requests of P34 in the format of Responses. */
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

const bound = "max_output_tokens";
const small: Members = [[bound, "20"]];
const otherNames = boundNames.filter((name) => name !== bound);

export const responsesAttacks: Attacks = {
  own: (mark, model) => [
    ["model", JSON.stringify(model)],
    ["input", JSON.stringify([{ role: "user", content: mark }])],
  ],
  kinds: {
    ordinary: (random) =>
      random.pick<Members>([
        [],
        small,
        [
          ["temperature", "1"],
          ["service_tier", '"auto"'],
        ],
      ]),
    "ordinary tools": () => [
      ...small,
      ["tools", '[{"type":"function","name":"web_search","parameters":{"type":"object","properties":{}}}]'],
    ],
    "a large bound": (random) => [[bound, random.pick(large)]],
    "another name": (random) => random.shuffle([...small, [random.pick(otherNames), random.pick(large)]]),
    "another name alone": (random) => [[random.pick(otherNames), random.pick([...large, "3"])]],
    "in an object": (random) => [
      ...small,
      [random.pick(boxes), `{"${random.pick(boundNames)}":${random.pick(large)}}`],
    ],
    "a number as text": () => [[bound, '"100000"']],
    "many answers": (random) => [...small, [random.pick(choiceNames), random.pick(["100", "128", "99.5"])]],
    "a bound spelled otherwise": (random) => [...small, [respelled(bound, random), random.pick(large)]],
    "a bound twice": (random) => [...small, [bound, random.pick(large)]],
    "a model spelled otherwise": (random) => [...small, [respelled("model", random), '"dear-model"']],
    "another model in an object": () => [...small, ["extra_body", '{"model":"dear-model"}']],
    thinking: (random) => [...small, ["reasoning", `{"effort":"high","max_tokens":${random.pick(large)}}`]],
    sound: (random) => [
      [bound, "20000"],
      ["modalities", random.pick(['["text","audio"]', '["\\u0061udio"]'])],
    ],
    "charged apart": (random) => [
      ...small,
      random.pick<Members[number]>([
        ["service_tier", '"priority"'],
        ["service_tier", '"pri\\u006frity"'],
        [respelled("service_tier", random), '"priority"'],
        ["tools", '[{"type":"web_search"}]'],
        ["tools", '[{"type":"function","name":"f"},{"type":"code_interpreter","container":{"type":"auto"}}]'],
        ["tools", '[{"type":"function","Type":"web_search","name":"f"}]'],
        ["tools", '[{"type":"mcp","server_label":"x","server_url":"https://example.com"}]'],
        ["web_search_options", "{}"],
        ["plugins", '[{"id":"web"}]'],
        ["fallbacks", '["dear-model"]'],
      ]),
    ],
    "a prompt elsewhere": (random) => [
      ...small,
      random.pick<Members[number]>([
        ["instructions", long(random)],
        ["tools", `[{"type":"function","name":"f","description":${long(random)}}]`],
        [
          "text",
          `{"format":{"type":"json_schema","name":"a","schema":{"type":"object","description":${long(random)}}}}`,
        ],
      ]),
    ],
  },
};
