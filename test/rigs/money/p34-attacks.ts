/**
 * The requests of P34: ordinary ones, and all known ways to ask for more than a parser may notice. Generated
 * from a seed; pure.
 */
import type { Random } from "../harness/random.ts";

export interface Attack {
  readonly name: string;
  readonly body: string;
  /** True when it must be served. Attacks may be served or rejected. */
  readonly isOrdinary: boolean;
}

const boundNames = [
  "max_tokens",
  "max_completion_tokens",
  "n_predict",
  "num_predict",
  "max_new_tokens",
  "max_output_tokens",
  "maxOutputTokens",
  "max_length",
];
const choiceNames = ["n", "best_of", "candidate_count", "candidateCount", "n_cmpl"];
const boxes = ["options", "extra_body", "generation_config", "generationConfig", "parameters"];
const large = ["100000", "1e5", "99999.5", "-1", "0", "1e12", "127999", "500000"];
const folded: Readonly<Record<string, string>> = { s: "\u017f", k: "\u212a" };

/** A spelling that some parsers accept for this name. */
function respelled(name: string, random: Random): string {
  const place = random.int(0, name.length - 1);
  const letter = name[place] as string;
  const escaped = `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  switch (random.int(0, 4)) {
    case 0:
      return name.toUpperCase();
    case 1:
      return name.slice(0, place) + letter.toUpperCase() + name.slice(place + 1);
    case 2:
      return name.slice(0, place) + escaped + name.slice(place + 1);
    case 3:
      return [...name].map((one) => folded[one] ?? one).join("");
    default:
      return [...name.toUpperCase()]
        .map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("");
  }
}

type Members = readonly (readonly [name: string, value: string])[];

const text = (members: Members): string =>
  `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
const small: Members = [["max_tokens", "5"]];
const long = (random: Random): string =>
  JSON.stringify(`${random.pick(["word ", "schema ", "Satz "])}`.repeat(4_000));

/** Members beside model and messages, by the name of the attack. */
const kinds: Readonly<Record<string, (random: Random) => Members>> = {
  ordinary: (random) =>
    random.pick<Members>([
      [],
      small,
      [
        ["max_completion_tokens", "7"],
        ["n", "2"],
      ],
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

export const attackNames: readonly string[] = Object.keys(kinds);

/** The request of this kind; `mark` identifies it. */
export function makeAttack(name: string, mark: string, random: Random): Attack {
  const more = kinds[name]?.(random) ?? [];
  const stream: Members = random.chance(0.5) ? [["stream", "true"]] : [];
  const own: Members = [
    ["model", '"rig-model"'],
    ["messages", JSON.stringify([{ role: "user", content: mark }])],
  ];
  const members = random.chance(0.5) ? [...own, ...stream, ...more] : [...more, ...stream, ...own];
  return { name, body: text(members), isOrdinary: name.startsWith("ordinary") };
}
