/**
 * Templates of messages: text with named params. `{model}` stands for a param; `{count:1=request|*=requests}`
 * picks a text by the param's value, `*` where none fits (without `*`: the value itself); `{part^}` begins
 * with a capital, unless with an address, and ends as a sentence. `{{` is a plain `{`, `}}` a plain `}`.
 */

/** The name in one pair of braces. */
type NameOf<Body extends string> = Body extends `${infer Name}:${string}`
  ? Name
  : Body extends `${infer Name}^`
    ? Name
    : Body;

/** The names of a template's params, out of its text. */
export type NamesIn<Template extends string> = Template extends `${string}{${infer Body}}${infer Rest}`
  ? (Body extends `{${string}` ? never : NameOf<Body>) | NamesIn<Rest>
  : never;

/** One place of a template where a param stands. */
export interface Slot {
  readonly name: string;
  /** Text by value of the param. */
  readonly cases?: ReadonlyMap<string, string>;
  readonly isSentence?: boolean;
}

/** Plain texts and slots in turn. */
export type Parts = readonly (string | Slot)[];

const slotForm = /\{\{|\}\}|\{(\w+)(?::([^{}]*)|(\^))?\}/g;

function casesOf(text: string): ReadonlyMap<string, string> {
  const pairs = text.split("|").map((one): [string, string] => {
    const at = one.indexOf("=");
    return [one.slice(0, at), one.slice(at + 1)];
  });
  return new Map(pairs);
}

/** Takes a template apart. */
export function parseTemplate(template: string): Parts {
  const parts: (string | Slot)[] = [];
  let text = "";
  let at = 0;
  for (const found of template.matchAll(slotForm)) {
    text += template.slice(at, found.index);
    at = found.index + found[0].length;
    const [whole, name, cases, sentence] = found;
    if (name === undefined) {
      text += whole.slice(0, 1);
      continue;
    }
    parts.push(text, {
      name,
      ...(cases === undefined ? {} : { cases: casesOf(cases) }),
      ...(sentence === undefined ? {} : { isSentence: true }),
    });
    text = "";
  }
  parts.push(text + template.slice(at));
  return parts;
}

/** The names of a template's params, each once, sorted. */
export function namesIn(template: string): readonly string[] {
  const names = parseTemplate(template).flatMap((part) => (typeof part === "string" ? [] : [part.name]));
  return [...new Set(names)].sort();
}
