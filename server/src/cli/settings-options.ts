/**
 * Boot settings as options of commands: which a command takes is listed by name, all
 * else comes from the table in config.ts.
 */
import { textOf } from "@plaza/contract/messages/message.ts";
import { type Command, Option } from "commander";
import { type Config, environmentName, readConfig, type SettingName } from "../config/config.ts";
import { type Setting, settings } from "../config/settings.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";

function settingOption(name: SettingName): Option {
  const { flag, text, initial, initially }: Setting = settings[name];
  const fallback = initial?.replace("{dataDir}", "DATA") ?? (initially && textOf(initially));
  const about = `${textOf(text).replace(/\.$/, "")} (default: ${fallback}; env: ${environmentName(name)})`;
  return new Option(flag ?? `--${name} <value>`, about);
}

/** Adds the options of these settings to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) command.addOption(settingOption(name));
  return command;
}

/**
 * The config of this command: its options (as commander gives them) beat the
 * environment. Throws when a setting is not valid.
 */
export function readSettings(io: CommandIo, options: object, names: readonly SettingName[]): Config {
  const given = new Map<string, string>(Object.entries(options));
  const flags = names.map((name) => [name, given.get(settingOption(name).attributeName())]);
  const result = readConfig({ env: io.env, flags: Object.fromEntries(flags) });
  if (result.ok) return result.config;
  throw new CommandFailure("invalid_config", result.faults.join("\n"), 2);
}
