/**
 * Tolerant search in models: "gpt5" finds GPT-5, "sonet" finds Sonnet. A model's rank is lower the better it
 * fits: the whole text, its beginning, all words, then mistyped words; letters in order only where nothing
 * else fits. Knows no React. A library was looked for first: uFuzzy and microfuzz do not find "gpt5" or
 * "llama70b" first, MiniSearch no swapped letters and no part of a Chinese name, Fuse.js takes 8 to 24 ms.
 */
import { compacted, editsAllowed, editsToPrefix, folded, isSubsequence, wordsOf } from "./words.ts";

/** What is searched of a model. */
export interface Searched {
  readonly id: string;
  readonly name: string;
  /** Other words that it is found by, as its maker. */
  readonly also: string;
  /** Only whole parts of it are found; typing errors are not looked for in prose. */
  readonly description: string;
}

/** Searches; the answer has the rank of each found one by its place in the list, lower is better. */
export type Search = (text: string) => ReadonlyMap<number, number>;

interface Entry {
  /** Id, id after its last slash, and name, without separators. */
  readonly wholes: readonly string[];
  /** Words by their number in the vocabulary. */
  readonly words: readonly number[];
  readonly description: string;
  readonly starts: ReadonlySet<number>;
}

/** Ranks; what lies between is left for the number of edits. */
const rank = {
  exact: 0,
  beginning: 1,
  inside: 2,
  words: 3,
  beginnings: 4,
  parts: 5,
  mistyped: 6,
  letters: 9,
};

/** How a typed word fits a word of a model. */
const fit = { none: 0, edits: 1, part: 4, beginning: 5, same: 6 };

/** Longest text that is read; the rest is ignored. */
const lettersMax = 200;
const wordsMax = 12;
/** Typed words whose fits are kept. */
const knownMax = 200;

class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly words: string[] = [];

  numberOf(word: string): number {
    let number = this.#numbers.get(word);
    if (number === undefined) {
      number = this.words.length;
      this.words.push(word);
      this.#numbers.set(word, number);
    }
    return number;
  }
}

/** Places in the compact text at which words begin. */
function startsOf(text: string): ReadonlySet<number> {
  let length = 0;
  const starts = new Set<number>();
  for (const word of wordsOf(text)) {
    starts.add(length);
    length += word.length;
  }
  return starts;
}

function entryOf(model: Searched, vocabulary: Vocabulary): Entry {
  const id = folded(model.id);
  const name = folded(model.name);
  const last = id.slice(id.lastIndexOf("/") + 1);
  const words = new Set(wordsOf(`${id} ${name} ${folded(model.also)}`));
  return {
    wholes: [compacted(last), compacted(name), compacted(id)],
    words: [...words].map((word) => vocabulary.numberOf(word)),
    description: folded(model.description),
    starts: startsOf(last),
  };
}

const digits = /\p{N}/u;

/** A swap is the one error that is looked for in words of three letters, as in "gtp". */
function editsIn(typed: string): number {
  return /^\p{L}{3}$/u.test(typed) ? 1 : editsAllowed(typed.length);
}

function isSwap(typed: string, word: string): boolean {
  return [...typed].sort().join("") === [...word].sort().join("");
}

/** How a typed word fits words of the vocabulary. */
function fitter(typed: string): (word: string) => number {
  const hasDigits = digits.test(typed);
  const isPart = typed.length >= 3 || /^\p{Script=Han}+$/u.test(typed);
  const most = editsIn(typed);
  return (word) => {
    if (word.startsWith(typed)) return word.length === typed.length ? fit.same : fit.beginning;
    // Another number is another version, not a typing error.
    if (hasDigits) return fit.none;
    if (isPart && word.includes(typed)) return fit.part;
    if (most === 0 || digits.test(word)) return fit.none;
    const edits = editsToPrefix(typed, word, most);
    if (edits > most || (typed.length === 3 && !isSwap(typed, word.slice(0, 3)))) return fit.none;
    return fit.part - edits;
  };
}

function rankOfWords(
  entry: Entry,
  typed: readonly string[],
  fits: readonly Uint8Array[],
): number | undefined {
  let worst = fit.same;
  let edits = 0;
  for (const [at, one] of typed.entries()) {
    let best = fit.none;
    for (const number of entry.words) best = Math.max(best, fits[at]?.[number] ?? fit.none);
    if (best < fit.part && one.length >= 2 && entry.description.includes(one)) best = fit.part;
    if (best === fit.none) return undefined;
    if (best < fit.part) edits += fit.part - best;
    worst = Math.min(worst, best);
  }
  if (worst === fit.same) return rank.words;
  if (worst === fit.beginning) return rank.beginnings;
  if (worst === fit.part) return rank.parts;
  return rank.mistyped + Math.min(edits, 20) / 10;
}

function rankOf(
  entry: Entry,
  whole: string,
  typed: readonly string[],
  fits: readonly Uint8Array[],
): number | undefined {
  if (entry.wholes.includes(whole)) return rank.exact;
  if (entry.wholes.some((one) => one.startsWith(whole))) return rank.beginning;
  // One or two letters are inside of nearly everything.
  if (whole.length >= 3 && entry.wholes.some((one) => one.includes(whole))) return rank.inside;
  return rankOfWords(entry, typed, fits);
}

/** Prepares the search in a list; 2,000 models take some 20 ms once, and then under 5 ms a search. */
export function createSearch(models: readonly Searched[]): Search {
  const vocabulary = new Vocabulary();
  const entries = models.map((model) => entryOf(model, vocabulary));
  // Of a text that is being typed only the last word is new.
  const known = new Map<string, Uint8Array>();
  const fitsOf = (typed: string): Uint8Array => {
    let fits = known.get(typed);
    if (fits === undefined) {
      fits = Uint8Array.from(vocabulary.words, fitter(typed));
      if (known.size >= knownMax) known.clear();
      known.set(typed, fits);
    }
    return fits;
  };
  return (text) => {
    const short = folded(text.slice(0, lettersMax));
    const whole = compacted(short);
    const typed = [...new Set(wordsOf(short))].slice(0, wordsMax);
    const found = new Map<number, number>();
    if (typed.length === 0) return found;
    const fits = typed.map(fitsOf);
    for (const [at, entry] of entries.entries()) {
      const one = rankOf(entry, whole, typed, fits);
      if (one !== undefined) found.set(at, one);
    }
    return certain(found) ?? (found.size > 0 ? found : byLetters(entries, whole));
  };
}

/** Without guesses where anything fits as it was typed; undefined where nothing does. */
function certain(found: ReadonlyMap<number, number>): ReadonlyMap<number, number> | undefined {
  const sure = new Map([...found].filter(([, one]) => one < rank.mistyped));
  return sure.size === 0 ? undefined : sure;
}

function byLetters(entries: readonly Entry[], whole: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (whole.length < 3) return found;
  for (const [at, { wholes, starts }] of entries.entries())
    if (isSubsequence(whole, wholes[0] ?? "", starts)) found.set(at, rank.letters);
  return found;
}
