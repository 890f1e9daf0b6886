/**
 * How well a text answers what was typed: whole words first, then beginnings, parts, one slip of the finger,
 * and scattered letters. Pure; knows no component.
 */

/** Without case and accents, full-width letters as plain ones. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const wordBreak = /[^\p{L}\p{N}]+/u;

/** Most letters of one typed word that are compared: more is no name. */
const lettersMax = 100;
/** Shortest word in which a slip is forgiven. */
const slipMin = 4;

const scores = { whole: 100, begins: 80, wordBegins: 65, part: 45, slip: 25, scattered: 15 } as const;

/** True when the letters of `typed` come in this order in `text`, the first at the start of a word. */
function isScattered(typed: string, text: string): boolean {
  const words = text.split(wordBreak);
  return words.some((word, at) => {
    if (word[0] !== typed[0]) return false;
    const rest = words.slice(at).join("");
    let next = 0;
    for (const letter of rest) if (letter === typed[next]) next += 1;
    return next >= typed.length;
  });
}

/** True when one letter too many, too few, wrong, or two swapped are all that differs. */
export function isOneSlip(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1) return false;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const [leftRest, rightRest] = [left.slice(at), right.slice(at)];
  return (
    leftRest.slice(1) === rightRest.slice(1) ||
    leftRest.slice(1) === rightRest ||
    leftRest === rightRest.slice(1) ||
    (leftRest[0] === rightRest[1] && leftRest[1] === rightRest[0] && leftRest.slice(2) === rightRest.slice(2))
  );
}

function isSlipOf(typed: string, word: string): boolean {
  if (typed.length < slipMin) return false;
  // What is typed may be the beginning of a word.
  return [0, 1, -1].some((more) => isOneSlip(typed, word.slice(0, typed.length + more)));
}

/** How well one typed word answers; 0: not at all. Both are folded. */
function wordScore(typed: string, text: string, isLabel: boolean): number {
  if (text === typed) return scores.whole;
  if (text.startsWith(typed)) return scores.begins;
  const words = text.split(wordBreak);
  if (words.some((word) => word.startsWith(typed))) return scores.wordBegins;
  if (text.includes(typed)) return scores.part;
  if (words.some((word) => isSlipOf(typed, word))) return scores.slip;
  // Among many keywords a few letters are found somewhere.
  return isLabel && typed.length > 1 && isScattered(typed, text) ? scores.scattered : 0;
}

/**
 * How well `label` answers `query`; 0: not at all. Every word typed must be found in the label or in
 * `keywords`, which count half. A query without words is answered by everything, with 1.
 */
export function scoreOf(query: string, label: string, keywords = ""): number {
  const typed = folded(query.slice(0, lettersMax)).trim();
  if (typed === "") return 1;
  const [name, others] = [folded(label), folded(keywords)];
  let sum = 0;
  for (const word of typed.split(/\s+/)) {
    const score = Math.max(wordScore(word, name, true), wordScore(word, others, false) / 2);
    if (score === 0) return 0;
    sum += score;
  }
  // Of two that answer alike the shorter is meant.
  return sum + 1 / (1 + name.length);
}

/** What is found by its label and keywords. */
interface Findable {
  readonly label: string;
  readonly keywords?: string;
}

/** Those that answer, the best first; alike ones stay in their order. */
export function bestOf<Item extends Findable>(query: string, items: readonly Item[], max: number): Item[] {
  return items
    .map((item) => ({ item, score: scoreOf(query, item.label, item.keywords) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, max)
    .map(({ item }) => item);
}

/** What the server found by other means than its label. */
const foundScore = scores.part;

/** In groups: without a query in the given order, else the group with the best answer first. */
export function inGroups<Name extends string, Item extends Findable & { readonly group: Name }>(
  query: string,
  names: readonly Name[],
  items: readonly Item[],
): readonly Item[] {
  const isEmpty = query.trim() === "";
  const groups = names.map((name) => {
    const own = items.filter(({ group }) => group === name);
    const best = own.map(({ label, keywords }) => scoreOf(query, label, keywords) || foundScore);
    return { own, score: isEmpty ? 0 : Math.max(0, ...best) };
  });
  return groups.sort((left, right) => right.score - left.score).flatMap(({ own }) => own);
}
