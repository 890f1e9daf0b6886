/**
 * Reads the boot settings of `settings.ts` from environment and flags, and refuses what is
 * not allowed. Must stay cheap to load (every worker does) and reads nothing by itself:
 * environment and flags are passed in.
 */
import { join } from "node:path";
import { quote } from "../lib/quote.ts";
import { type Setting, settings } from "./settings.ts";
import { unknownNames } from "./unknown.ts";

export type SettingName = keyof typeof settings;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** A value that was set: the text, and the variable or flag it came from. */
interface GivenSetting {
  readonly text: string;
  readonly from: string;
}

/** Every setting's value. `…Ms` are milliseconds, `…Bytes…` bytes; unset ones are undefined. */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> } & {
  /** The settings that are not left at their default, as they were given; secrets among them. */
  readonly given: { readonly [Name in SettingName]?: GivenSetting };
};

/** What the command line gave, by setting name. */
export type ConfigFlags = { readonly [Name in SettingName]?: string | undefined };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; nothing else in the product reads it. */
export const processEnvironment = (): Environment => process.env;

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly string[] };

/** `bodyBytesMax` → `PLAZA_BODY_BYTES_MAX`. */
export function environmentName(name: string): string {
  return `PLAZA_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** All settings in the table's order. */
export function listSettings(): [SettingName, Setting][] {
  return Object.entries(settings) as [SettingName, Setting][];
}

const names = listSettings().map(([name]) => environmentName(name));

/** How a refused text may be shown: never when it may hold a secret. */
function shown(text: string, isSecret: boolean): string {
  if (isSecret || /@|^\s*postgres/i.test(text)) return "the value given (not shown)";
  return quote(text);
}

function readText(name: SettingName, entry: Setting, { env, flags }: ConfigInput): GivenSetting | undefined {
  const flag = flags[name];
  if (flag !== undefined) return { text: flag, from: entry.flag?.split(" ")[0] ?? name };
  for (const from of [environmentName(name), entry.alias]) {
    const text = from === undefined ? undefined : env[from];
    // Compose files and shells pass an unset variable as an empty one.
    if (from !== undefined && text !== undefined && text !== "") return { text, from };
  }
  return undefined;
}

function explain(name: SettingName, entry: Setting, given: GivenSetting): string {
  const isLink = name === "port" && given.text.startsWith("tcp://");
  const hint = isLink
    ? "Kubernetes set it for a service named plaza: rename the service or set enableServiceLinks: false"
    : entry.kind.hint?.(given.text);
  const reason = hint === undefined ? "is not allowed" : `is not allowed (${hint})`;
  return `${name} (${given.from}): ${shown(given.text, entry.isSecret === true)} ${reason}; enter ${entry.kind.allowed}`;
}

interface ConfigInput {
  readonly env: Environment;
  readonly flags: ConfigFlags;
}

/**
 * Reads all settings: a flag beats the environment, which beats the default.
 * On failure lists all faults.
 */
export function readConfig(input: ConfigInput): ConfigResult {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  const allGiven: Partial<Record<SettingName, GivenSetting>> = {};
  for (const [name, entry] of listSettings()) {
    const given = readText(name, entry, input);
    const text = given?.text ?? entry.initial?.replace(/\{(\w+)\}/g, (_, other) => String(values[other]));
    const value = text === undefined ? undefined : entry.kind.parse(text);
    if (given !== undefined && value === undefined) faults.push(explain(name, entry, given));
    values[name] = value;
    if (given !== undefined) allGiven[name] = given;
  }
  faults.push(...unknownNames(Object.keys(input.env), names));
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, config: Object.freeze({ ...values, given: allGiven } as unknown as Config) };
}

/** Where the sealing key is kept when `secretKey` is not given. */
export function secretKeyFile(config: Config): string {
  return join(config.dataDir, "secret.key");
}
