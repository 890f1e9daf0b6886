/** The requests of P34 in the format of Messages. */
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

const bound = "max_tokens";
const small: Members = [[bound, "5"]];
const otherNames = boundNames.filter((name) => name !== bound);
const thinking = (budget: string, more = ""): string => `{"type":"enabled","budget_tokens":${budget}${more}}`;

export const messagesAttacks: Attacks = {
  own: (mark, model) => [
    ["model", JSON.stringify(model)],
    ["messages", JSON.stringify([{ role: "user", content: mark }])],
  ],
  kinds: {
    ordinary: (random) =>
      random.pick<Members>([small, [...small, ["service_tier", '"auto"']], [[bound, "128000"]]]),
    "ordinary tools": () => [
      ...small,
      ["tools", '[{"name":"web_search","input_schema":{"type":"object","properties":{}}}]'],
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
    thinking: (random) => [
      [bound, random.pick(["5", "1500", "4000"])],
      ...random.pick<Members>([
        [["thinking", thinking(random.pick(["1024", "50000", "127999"]))]],
        [["thinking", thinking("1024", `,"budget_tokens":${random.pick(large)}`)]],
        [
          [
            "thinking",
            `{"type":"enabled","${respelled("budget_tokens", random)}":100000,"budget_tokens":1024}`,
          ],
        ],
        [
          ["thinking", thinking("1024")],
          ["thinking", thinking("100000")],
        ],
        [["thinking_budget", random.pick(large)]],
      ]),
    ],
    sound: (random) => [
      [bound, "20000"],
      ["modalities", random.pick(['["text","audio"]', '["\\u0061udio"]'])],
    ],
    "charged apart": (random) => [
      ...small,
      random.pick<Members[number]>([
        ["speed", '"fast"'],
        ["service_tier", '"priority"'],
        [respelled("service_tier", random), '"priority"'],
        ["tools", '[{"type":"web_search_20250305","name":"web_search"}]'],
        [
          "tools",
          '[{"name":"f","input_schema":{"type":"object"}},{"type":"code_execution_20250825","name":"code_execution"}]',
        ],
        [
          "tools",
          '[{"type":"custom","Type":"web_search_20250305","name":"f","input_schema":{"type":"object"}}]',
        ],
        ["mcp_servers", '[{"type":"url","url":"https://example.com","name":"x"}]'],
        ["plugins", '[{"id":"web"}]'],
        ["fallbacks", '["dear-model"]'],
      ]),
    ],
    "a prompt elsewhere": (random) => [
      ...small,
      random.pick<Members[number]>([
        ["system", long(random)],
        ["tools", `[{"name":"f","description":${long(random)},"input_schema":{"type":"object"}}]`],
        ["documents", `[${long(random)}]`],
      ]),
    ],
  },
};
