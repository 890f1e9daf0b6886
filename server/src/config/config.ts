/**
 * Reads the startup settings of `settings.ts` from environment and flags, and rejects invalid ones. Loaded by
 * every worker, so it must load fast. Environment and flags are passed in.
 */
import { join } from "node:path";
import { quote } from "../lib/quote.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";
import { unknownNames } from "./unknown.ts";

export type SettingName = keyof typeof settings;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** A value that was set, with the variable or flag it came from. */
interface GivenSetting {
  readonly text: string;
  readonly from: string;
}

/**
 * All settings. Names ending in `Ms` are milliseconds, names with `Bytes` are bytes; unset ones are
 * undefined.
 */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> } & {
  /** Settings that were set explicitly, as given; includes secrets. */
  readonly given: { readonly [Name in SettingName]?: GivenSetting };
};

/** Values from the command line, by setting name. */
export type ConfigFlags = { readonly [Name in SettingName]?: string | undefined };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; no other code reads it. */
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

/** Shows a rejected value, unless it may contain a secret. */
function shown(text: string, isSecret: boolean): string {
  if (isSecret || /@|^\s*postgres/i.test(text)) return "the value given (not shown)";
  return quote(text);
}

function readText(name: SettingName, entry: Setting, { env, flags }: ConfigInput): GivenSetting | undefined {
  const flag = flags[name];
  if (flag !== undefined) return { text: flag, from: entry.flag?.split(" ")[0] ?? name };
  for (const from of [environmentName(name), entry.alias]) {
    const text = from === undefined ? undefined : env[from];
    // Compose files and shells pass an unset variable as an empty string.
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
 * Reads all settings: flags override the environment, which overrides defaults. On failure, lists all faults.
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

/** The scheme of the listeners for callers and the console. */
export function schemeOf({ tlsCert }: Pick<Config, "tlsCert">): "http" | "https" {
  return tlsCert === undefined ? "http" : "https";
}

/** Path of the encryption key file, used when `secretKey` is not set. */
export function secretKeyFile(config: Config): string {
  return join(config.dataDir, "secret.key");
}
