/**
 * Reads the JSON file that describes a gateway to measure: how it is started and called, and which of its
 * switches are on. Checks every field, so that a mistake is reported before anything runs.
 */
import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** What a gateway does for each request as it is started: "off", "on", or "on" with a few words. */
export interface Switches {
  readonly auth: string;
  readonly limits: string;
  readonly ledger: string;
}

/** Where the gateway's packages come from. Their scripts are not run. */
export type PeerInstall =
  /** npm: packages as `npm install` takes them, with npm's `overrides` for what they depend on. */
  | { readonly npm: string; readonly overrides: Readonly<Record<string, string>> }
  /** PyPI: the absolute path of a requirements file that pins every package. */
  | { readonly python: string };

/** A gateway to measure. Texts may hold placeholders, see `fillIn`. */
export interface PeerFile {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The port it listens on; undefined = a free one, passed by `{port}`. */
  readonly port: number | undefined;
  /** Path of chat completions. */
  readonly path: string;
  /** What its callers call the upstream's model `{model}`. */
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key: string;
  /** Further headers of every request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Files written to `{folder}` before each start: text by file name. */
  readonly files: Readonly<Record<string, string>>;
  readonly switches: Switches;
  /** Longest time from the start to the first right answer. */
  readonly startSeconds: number;
  /** Open streams of the stream cases, at most; undefined = as many as every other gateway gets. */
  readonly streams: number | undefined;
  readonly install: PeerInstall | undefined;
}

/** A peer file that cannot be used. */
export class PeerFileError extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const fieldNames = [
  ...["name", "command", "port", "path", "model", "key", "headers", "env", "files", "switches"],
  ...["startSeconds", "streams", "install", "about"],
];
const textCharsMax = 20_000;
const itemsMax = 50;
/** Long enough for a few words; the table has one column for each gateway. */
const switchCharsMax = 30;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown, field: string, charsMax = textCharsMax): string {
  if (typeof value !== "string" || value === "") throw new PeerFileError(`${field} must be a text`);
  if (value.length > charsMax) throw new PeerFileError(`${field} has more than ${charsMax} characters`);
  return value;
}

function wholeNumberOf(value: unknown, field: string, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
    throw new PeerFileError(`${field} must be a whole number from ${least} to ${most}`);
  }
  return Number(value);
}

/** An object of texts; `{}` when absent. */
function textsOf(value: unknown, field: string): Record<string, string> {
  if (value === undefined) return {};
  if (!isFields(value)) throw new PeerFileError(`${field} must be an object of texts`);
  const entries = Object.entries(value);
  if (entries.length > itemsMax) throw new PeerFileError(`${field} has more than ${itemsMax} entries`);
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(text, `${field}.${name}`)]));
}

function allow(given: Fields, allowed: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  throw new PeerFileError(`unknown field ${where}${unknown}; there are ${allowed.join(", ")}`);
}

function commandOf(value: unknown): readonly [string, ...string[]] {
  if (!Array.isArray(value) || value.length > itemsMax) {
    throw new PeerFileError(`command must be a list of texts: the program, then each argument`);
  }
  const [program, ...args] = value.map((word, index) => textOf(word, `command[${index}]`));
  if (program === undefined) throw new PeerFileError("command must name a program");
  return [program, ...args];
}

/** Header lines that the load writes itself. */
const ownHeaders = ["authorization", "content-type", "content-length", "host", "accept", "transfer-encoding"];

function headersOf(value: unknown): Record<string, string> {
  const entries = Object.entries(textsOf(value, "headers")).map(
    ([name, text]) => [name.toLowerCase(), text] as const,
  );
  for (const [name, text] of entries) {
    if (!/^[a-z0-9-]+$/.test(name)) throw new PeerFileError(`headers.${name} is not a header's name`);
    if (ownHeaders.includes(name)) {
      throw new PeerFileError(`headers.${name} is written by the load; a bearer token goes into "key"`);
    }
    // The load writes it into a script of wrk, too.
    if (!/^[\x20-\x7e]*$/.test(text)) throw new PeerFileError(`headers.${name} must be one line of ASCII`);
  }
  return Object.fromEntries(entries);
}

function switchesOf(value: unknown): Switches {
  if (!isFields(value)) {
    throw new PeerFileError(
      'switches must tell "auth", "limits" and "ledger": "on", "off", or "on" with words',
    );
  }
  allow(value, ["auth", "limits", "ledger"], "switches.");
  const read = (name: keyof Switches) => {
    const text = textOf(value[name], `switches.${name}`, switchCharsMax);
    if (!/^(on|off)\b/.test(text)) throw new PeerFileError(`switches.${name} must begin with on or off`);
    return text;
  };
  return { auth: read("auth"), limits: read("limits"), ledger: read("ledger") };
}

function installOf(value: unknown, folder: string): PeerInstall | undefined {
  if (value === undefined) return undefined;
  if (!isFields(value)) throw new PeerFileError('install must have "npm" or "python"');
  allow(value, ["npm", "overrides", "python"], "install.");
  if (value["npm"] !== undefined && value["python"] === undefined) {
    const overrides = textsOf(value["overrides"], "install.overrides");
    return { npm: textOf(value["npm"], "install.npm"), overrides };
  }
  if (value["python"] === undefined || value["npm"] !== undefined || value["overrides"] !== undefined) {
    throw new PeerFileError('install must have either "npm" (with "overrides" if needed) or "python"');
  }
  return { python: resolve(folder, textOf(value["python"], "install.python")) };
}

function filesOf(value: unknown): Record<string, string> {
  const files = textsOf(value, "files");
  const wrong = Object.keys(files).find((name) => !/^[\w.-]+$/.test(name) || name.startsWith("."));
  if (wrong !== undefined) throw new PeerFileError(`files.${wrong}: a file's name has no folder`);
  return files;
}

/**
 * Parses a peer file.
 * @param folder where relative paths in it start.
 * @throws PeerFileError naming the field.
 */
export function parsePeerFile(text: string, folder: string): PeerFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new PeerFileError(`not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isFields(json)) throw new PeerFileError("a peer file holds one JSON object");
  allow(json, fieldNames, "");
  const path = textOf(json["path"] ?? "/v1/chat/completions", "path");
  if (!/^\/[\x21-\x7e]*$/.test(path)) throw new PeerFileError("path must begin with / and have no spaces");
  const key = textOf(json["key"] ?? "sk-not-checked", "key");
  if (!/^[\x21-\x7e]*$/.test(key)) throw new PeerFileError("key must be ASCII without spaces");
  return {
    name: textOf(json["name"], "name", switchCharsMax),
    command: commandOf(json["command"]),
    port: wholeNumberOf(json["port"], "port", 1, 65_535),
    path,
    model: textOf(json["model"] ?? "{model}", "model"),
    key,
    headers: headersOf(json["headers"]),
    env: textsOf(json["env"], "env"),
    files: filesOf(json["files"]),
    switches: switchesOf(json["switches"]),
    startSeconds: wholeNumberOf(json["startSeconds"], "startSeconds", 1, 300) ?? 60,
    streams: wholeNumberOf(json["streams"], "streams", 1, 10_000),
    install: installOf(json["install"], folder),
  };
}

/** Reads a peer file; errors name the file. */
export function readPeerFile(file: string): PeerFile {
  const path = isAbsolute(file) ? file : join(process.cwd(), file);
  try {
    return parsePeerFile(readFileSync(path, "utf8"), dirname(path));
  } catch (error) {
    throw new PeerFileError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}

/** What placeholders stand for: `{port}`, `{upstream}`, `{folder}`, … */
export type Placeholders = Readonly<Record<string, string>>;

/** Replaces placeholders that are known; other braces stay, since configuration files are full of them. */
export function fillIn(text: string, placeholders: Placeholders): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => placeholders[name] ?? whole);
}
