/**
 * Parses directives of the demo model: words like `/slow 50` at the start of a line of the last user message
 * (docs/start/demo.md). `plan.ts` and `play.ts` decide what they do.
 */

/** The directives in the last user message. */
export interface Directives {
  /** The message without its directives. */
  readonly text: string;
  /** One explanation per directive that could not be parsed. */
  readonly mistakes: readonly string[];
  readonly fail?: { readonly status: number; readonly code: string | undefined };
  /**
   * Number of content chunks after which the connection breaks, an error event comes, or the stream hangs.
   */
  readonly cut?: number;
  readonly error?: number;
  readonly hang?: number;
  /** Milliseconds between chunks, and before the first chunk. */
  readonly slow?: number;
  readonly wait?: number;
  readonly words?: number;
  readonly usage?: "none" | "zero" | "bad";
  readonly html?: boolean;
  readonly refuse?: boolean;
  readonly filter?: boolean;
  readonly echo?: string;
  /** Tools to call: how many, or the name of one. */
  readonly tools?: number | string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Parses one directive's arguments from the words after it. Returns how many words it used, or an
 * explanation.
 */
type Reader = (into: Mutable<Directives>, words: readonly string[]) => number | string;

type NumberName = "cut" | "error" | "hang" | "slow" | "wait" | "words";

function number(name: NumberName, unit: string, max: number, min = 0): Reader {
  return (into, [word = ""]) => {
    const value = /^\d{1,9}$/.test(word) ? Number(word) : -1;
    if (value < min || value > max) return `/${name} needs ${unit} from ${min} to ${max}`;
    into[name] = value;
    return 1;
  };
}

function flag(name: "html" | "refuse" | "filter"): Reader {
  return (into) => {
    into[name] = true;
    return 0;
  };
}

const fail: Reader = (into, [word = "", code = ""]) => {
  if (!/^[45]\d\d$/.test(word)) return "/fail needs an HTTP status from 400 to 599";
  const hasCode = /^[a-z][a-z_]{0,63}$/.test(code) && code.includes("_");
  into.fail = { status: Number(word), code: hasCode ? code : undefined };
  return hasCode ? 2 : 1;
};

const usage: Reader = (into, [word = ""]) => {
  if (word !== "none" && word !== "zero" && word !== "bad") return "/usage needs none, zero or bad";
  into.usage = word;
  return 1;
};

const tools: Reader = (into, [word = ""]) => {
  if (!/^[1-9]\d?$/.test(word)) return "/tools needs how many to call, from 1 to 99";
  into.tools = Number(word);
  return 1;
};

/** `/tool` alone calls the first tool. A following word that looks like a name selects a tool. */
const tool: Reader = (into, [word = ""]) => {
  const isName = /^[\w-]{1,64}$/.test(word);
  into.tools = isName ? word : 1;
  return isName ? 1 : 0;
};

/** Most explanations given. */
const mistakesMax = 5;

/** Every directive except `/echo`, which takes the rest of the message. */
const readers: Readonly<Record<string, Reader>> = {
  fail,
  cut: number("cut", "a number of chunks", 100_000),
  error: number("error", "a number of chunks", 100_000),
  hang: number("hang", "a number of chunks", 100_000),
  slow: number("slow", "milliseconds", 60_000),
  wait: number("wait", "milliseconds", 600_000),
  words: number("words", "a number of words", 4_000, 1),
  usage,
  html: flag("html"),
  refuse: flag("refuse"),
  filter: flag("filter"),
  tool,
  tools,
};

/** Reads the directives of one line up to the first word that is none. Returns the rest of the line. */
function readLine(line: string, into: Mutable<Directives>, mistakes: string[]): string {
  const words = line.split(/\s+/).filter((word) => word !== "");
  let at = 0;
  for (; at < words.length; at += 1) {
    const name = /^\/([a-z]{1,20})$/.exec(words[at] ?? "")?.[1];
    if (name === undefined) break;
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined) {
      mistakes.push(`there is no directive /${name}`);
      continue;
    }
    const taken = reader(into, words.slice(at + 1, at + 3));
    if (typeof taken === "number") at += taken;
    else {
      mistakes.push(taken);
      if (words[at + 1]?.startsWith("/") === false) at += 1;
    }
  }
  return at === 0 ? line : words.slice(at).join(" ");
}

/** Characters of a message that are searched for directives. */
const messageMax = 65_536;

/** `/echo` at the start of a line or after other directives on it. It echoes the rest of the message. */
const echoStart = /^(?:\/[^\n]*?[^\S\n])?\/echo(?:[ \n]|$)/m;

/** Splits a message into its directives and its text. Of two conflicting directives, the last one counts. */
export function readDirectives(message: string): Directives {
  const into: Mutable<Directives> = { text: "", mistakes: [] };
  const mistakes: string[] = [];
  let before = message.slice(0, messageMax);
  const echo = echoStart.exec(before);
  if (echo !== null) {
    into.echo = before.slice(echo.index + echo[0].length);
    before = before.slice(0, echo.index + echo[0].lastIndexOf("/echo"));
  }
  const rest: string[] = [];
  for (const line of before.split("\n")) {
    const left = line.startsWith("/") ? readLine(line, into, mistakes) : line;
    if (left !== "" || !line.startsWith("/")) rest.push(left);
  }
  return { ...into, text: rest.join("\n").trim(), mistakes: mistakes.slice(0, mistakesMax) };
}
