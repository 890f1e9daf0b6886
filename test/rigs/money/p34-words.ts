/** Names and values that P34's requests are made of, in any format. Generated from a seed; pure. */
import type { Random } from "../harness/random.ts";

export const boundNames = [
  "max_tokens",
  "max_completion_tokens",
  "n_predict",
  "num_predict",
  "max_new_tokens",
  "max_output_tokens",
  "maxOutputTokens",
  "max_length",
];
export const choiceNames = ["n", "best_of", "candidate_count", "candidateCount", "n_cmpl"];
export const boxes = ["options", "extra_body", "generation_config", "generationConfig", "parameters"];
export const large = ["100000", "1e5", "99999.5", "-1", "0", "1e12", "127999", "500000"];
const folded: Readonly<Record<string, string>> = { s: "\u017f", k: "\u212a" };

/** A spelling that some parsers accept for this name. */
export function respelled(name: string, random: Random): string {
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

export type Members = readonly (readonly [name: string, value: string])[];

export const text = (members: Members): string =>
  `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
export const long = (random: Random): string =>
  JSON.stringify(`${random.pick(["word ", "schema ", "Satz "])}`.repeat(4_000));

/** The requests of one format. */
export interface Attacks {
  /** Members that hold the prompt and the model, where they stand in the body. */
  own(mark: string, model: string): Members;
  /** Members beside them, by the name of the attack. */
  readonly kinds: Readonly<Record<string, (random: Random) => Members>>;
}
