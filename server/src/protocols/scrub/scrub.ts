/**
 * Makes upstream text safe to show: secrets, hosts, addresses and ids of the operator's accounts become
 * `[removed]` (patterns of docs/wire/upstream-errors.md section 5 and more). The descriptors describe each
 * provider's secrets. When in doubt, text is removed. Every pattern is linear in the text: repeats are
 * bounded or cannot fail, and the text is shortened first. Names of parameters and paths of public APIs
 * (`public-names.ts`) are kept, because they help a caller whose request was refused.
 */
import { isPublicName, type Suspicions } from "./public-names.ts";
import { beginnings, formsBefore, type SecretShape } from "./secret-shapes.ts";

const removed = "[removed]";

/** Longest text that is shown, in UTF-16 units. */
const shownMax = 500;
/**
 * Longest text that is read. A longer one is cut at a space, so that no half of a secret remains that no
 * pattern matches.
 */
const readMax = 4_000;

/** A value after a name: quotes, colons and equals signs, then everything up to a space or closing quote. */
const value = String.raw`(?: provided| given| used| is)?["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}[^\s"',}]+`;

/** These run first, for all providers. Order matters: patterns that match more come first. */
const firstPatterns: readonly RegExp[] = [
  /-----BEGIN [^-]{1,60}-----(?:[^-]|-(?!----END))*(?:-----END [^-]{1,60}-----)?/g,
  /\bdata:[\w/+.-]{0,60};base64,[^\s"']*/gi,
  /\b[a-z][a-z0-9+.-]{1,20}:(?:\\?\/){2}[^\s"'<>]+/gi,
  /\b(?:proxy-)?authorization["'\\]{0,4}\s{0,3}[:=]?\s{0,3}["'\\]{0,4}(?:\w{1,12} )?[^\s"',}]+/gi,
  /\b(?:bearer|basic|digest) {1,3}["']?[^\s"',}]+/gi,
];

/** Values after names. */
const namePatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:x-)?(?:[a-z]{1,20}[_-]){0,3}(?:api[ _-]?key|secret|password|passwd|pwd|token|credentials?|signature|sig|cookie|session|account[ _-]?id|key)${value}`,
    "gi",
  ),
  /\bkeys?(?: provided| given| used)?:? {0,3}["'`]?[^\s"'`]*(?:\d|\*{2}|\.{3}|…)[^\s"'`]*/gi,
];

/** Keys in the form that many services use. */
const keyPattern = /(?<![A-Za-z0-9])(?:sk|pk|rk)[-_][\w*.…-]+/gi;

/** These run last. */
const lastPatterns: readonly RegExp[] = [
  /(?<![A-Za-z0-9])(?:org|proj|acct|cus|team|ws|project)[-_][\w*-]+/gi,
  /(?<![A-Za-z0-9])(?:req|request|trace|gen|cmpl|chatcmpl|msg|resp|run)[-_](?=[a-z0-9_-]{0,40}\d)[\w-]+/gi,
  /\b(?:[a-z]{1,12}[ _-]){0,3}(?:request|trace|correlation|operation|span|ray|tenant|subscription|organi[sz]ation|project)[ _-]?(?:id|number|ray)["'\\]{0,4}(?: is)?[: =]{1,4}["'\\]{0,4}[^\s"',})]+/gi,
  /\bcf-ray[: =]{1,3}\S+/gi,
  /\bprojects?[/: =]{1,3}["']?(?=[a-z-]{0,40}\d)[\w-]+/gi,
  /\b(?:deployment|resource|endpoint|host(?:name)?|server|upstream|project|account|organi[sz]ation|workspace|subscription)(?: name| id)?[: =]{0,3}["'`](?![\ue000-\uf8ff]["'`])[^\s"'`]+["'`]/gi,
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|resolve host|resolve hostname|dial tcp|lookup)[: ]{1,3}\S+/gi,
  /[^\s*]{0,60}\*{3,}\S*/g,
  /[\w.+-]{1,64}@[\w.-]{1,200}/g,
  /(?<!\w)(?:[a-z]:)?(?:[/\\][\w.@+-]{1,100}){2,40}/gi,
  /(?<![\w:])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w])/gi,
  /(?<!\d)(?<!\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d)(?::\d{1,5})?/g,
  /(?<!\d)\d{12}(?!\d)/g,
];

/** All patterns in order; those of providers' own secrets are in between. */
let patterns: readonly RegExp[] = [];

/**
 * Sets the forms of the providers' secrets and replaces earlier ones. `providers/index.ts` calls it before it
 * returns any provider, so that no error is read without them.
 */
export function useSecretShapes(shapes: readonly SecretShape[]): void {
  const [starts, words] = beginnings(shapes);
  patterns = [
    ...firstPatterns,
    ...formsBefore(shapes, "names"),
    ...namePatterns,
    ...formsBefore(shapes, "keys"),
    keyPattern,
    starts,
    ...formsBefore(shapes, "beginnings"),
    words,
    ...formsBefore(shapes, undefined),
    ...lastPatterns,
  ];
}
useSecretShapes([]);

/** Candidates for IPv6 and MAC addresses: runs of hexadecimal groups. `isAddress` decides. */
const colonGroups = /(?<!\w)(?:[0-9a-f]{0,4}:){2,8}[0-9a-f.]{0,39}(?:%\w{1,20})?/gi;

/** Six or more groups, or the short form `::`. A time of day like 05:18:00 is not an address. */
function isAddress(text: string): boolean {
  return text.includes("::") || text.split(":").length >= 6;
}

/** Candidates for hosts: dotted names and names with a port. `isHost` decides. */
const dottedNames = /(?<![\w.-])\w[\w-]{0,62}(?:\.[\w-]{1,63}){0,12}(?::\d{1,5})?(?![\w-])/gi;

const hostEndings = new Set(
  `com net org io ai cn dev app cloud internal local lan corp intranet home svc host site online run tech xyz info biz
  gov edu arpa test example invalid localhost localdomain consul aws azure goog google us eu uk de fr jp in co ca au kr
  hk tw sg ru br nl se ch es it pl`.split(/\s+/),
);

/**
 * True for a host; false for a version (gpt-4.1), a path of fields, or a full stop without a space after it.
 */
function isHost(text: string): boolean {
  const [name = "", port] = text.toLowerCase().split(":");
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  if (name === "localhost") return true;
  if (port !== undefined && /^[a-z]/.test(name) && (labels.length > 1 || port.length >= 4)) return true;
  if (labels.length < 2 || !/^(?:[a-z]{2,24}|xn--[a-z0-9-]+)$/.test(last)) return false;
  if (hostEndings.has(last)) return true;
  // Names of errors such as InternalError.Algo.InvalidParameter.
  if (text.split(".").every((label) => /^(?:[A-Z][a-z]+)+$/.test(label))) return false;
  return labels.length >= 3 || labels.some((label) => /[\d-]/.test(label));
}

const longRuns = /[\w+/=-]{16,}/g;

/**
 * True for random-looking text: a long run of letters mixed with digits, or of base64. Words joined by
 * hyphens are not.
 */
function isSecret(run: string): boolean {
  for (const part of run.split(/[-_]/)) {
    if (part.length >= 32 && /[A-Z]/.test(part) && /[a-z]/.test(part) && /\d/.test(part)) return true;
    for (const piece of part.split(/[+/=]/)) {
      if (piece.length >= 40 || (piece.length >= 16 && /\d/.test(piece) && /[a-z]/i.test(piece))) return true;
    }
  }
  return run.length >= 40 && /[A-Z]/.test(run) && /[a-z]/.test(run) && (run.match(/\d/g) ?? []).length >= 4;
}

/**
 * Invisible characters could split a secret in two, line ends could forge a log line, and bidi marks could
 * disguise text.
 */
function flatten(text: string): string {
  return text
    .replace(/[\ue000-\uf8ff\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .toWellFormed();
}

function readable(text: string): string {
  if (text.length <= readMax) return flatten(text);
  const cut = text.slice(0, readMax);
  const lastSpace = Math.max(cut.lastIndexOf(" "), cut.lastIndexOf("\n"), 0);
  return flatten(cut.slice(0, lastSpace));
}

/** Anything that may be a name, a path, an address or a part of one. */
const runs = /[\w./[\]#@:\\-]{2,}/g;
/** Punctuation that a sentence adds to a name. */
const trailing = /[.:\]-]+$/;

/**
 * Placeholders for names that may be shown, from Unicode's private use area; `flatten` has removed such
 * characters from the text.
 */
const firstStandIn = 0xe000;
const standInsMax = 1_000;

const suspicions: Suspicions = { hostEndings, isHarmless: (text) => cleanse(text) === text };

/** The text with placeholders for public names, which no pattern matches. */
function shelter(text: string, sheltered: string[]): string {
  return text.replace(runs, (run) => {
    // A colon inside belongs to an address, an ARN or a URL.
    const name = isPublicName(run, suspicions) ? run : run.replace(trailing, "");
    if (sheltered.length >= standInsMax || !isPublicName(name, suspicions)) return run;
    sheltered.push(name);
    return String.fromCharCode(firstStandIn + sheltered.length - 1) + run.slice(name.length);
  });
}

const restore = (text: string, sheltered: readonly string[]): string =>
  text.replace(/[\ue000-\uf8ff]/g, (character) => sheltered[character.charCodeAt(0) - firstStandIn] ?? "");

/** The text without secrets, hosts, addresses and foreign ids, at any length. */
function cleanse(text: string): string {
  let clean = text;
  for (const pattern of patterns) clean = clean.replace(pattern, removed);
  return clean
    .replace(colonGroups, (found) => (isAddress(found) ? removed : found))
    .replace(dottedNames, (found) => (isHost(found) ? removed : found))
    .replace(longRuns, (found) => (isSecret(found) ? removed : found));
}

/** The text without secrets, hosts, addresses or foreign ids, on one line, at most 500 characters. */
export function scrub(text: string): string {
  const sheltered: string[] = [];
  const clean = cleanse(shelter(readable(text), sheltered))
    .replace(/(?:\[removed\][\s"',]{0,3}){2,}/g, `${removed} `)
    .replace(/ {2,}/g, " ")
    .trim();
  const shown = restore(clean, sheltered);
  return shown.length <= shownMax ? shown : `${shown.slice(0, shownMax - 1).toWellFormed()}…`;
}
