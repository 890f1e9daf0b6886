/**
 * Templates of messages: text with named params. `{model}` is replaced by a param.
 * `{count:1=request|*=requests}` selects a text by the param's value, `*` if none matches (without `*`: the
 * value itself). `{part^}` is rendered as a sentence: capital first letter, unless it is a URL, and a stop.
 * `{{` is a literal `{`, `}}` a literal `}`.
 */

/** The name in one pair of braces. */
type NameOf<Body extends string> = Body extends `${infer Name}:${string}`
  ? Name
  : Body extends `${infer Name}^`
    ? Name
    : Body;

/** The names of a template's params, from its text. */
export type NamesIn<Template extends string> = Template extends `${string}{${infer Body}}${infer Rest}`
  ? (Body extends `{${string}` ? never : NameOf<Body>) | NamesIn<Rest>
  : never;

/** A place in a template for a param. */
export interface Slot {
  readonly name: string;
  /** Text by value of the param. */
  readonly cases?: ReadonlyMap<string, string>;
  readonly isSentence?: boolean;
}

/** Plain texts and slots alternately. */
export type Parts = readonly (string | Slot)[];

const slotForm = /\{\{|\}\}|\{(\w+)(?::([^{}]*)|(\^))?\}/g;

function casesOf(text: string): ReadonlyMap<string, string> {
  const pairs = text.split("|").map((one): [string, string] => {
    const at = one.indexOf("=");
    return [one.slice(0, at), one.slice(at + 1)];
  });
  return new Map(pairs);
}

/** Parses a template. */
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
