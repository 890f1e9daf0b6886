/**
 * Startup settings as command options. A command lists the names it takes; the rest comes from the table in
 * config.ts.
 */
import { textOf } from "@plaza/contract/messages/message.ts";
import { type Command, Option } from "commander";
import { type Config, environmentName, readConfig, type SettingName } from "../config/config.ts";
import type { Setting } from "../config/setting.ts";
import { settings } from "../config/settings.ts";
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
 * Reads the config of this command. Its options override the environment. Throws when a setting is invalid.
 */
export function readSettings(io: CommandIo, options: object, names: readonly SettingName[]): Config {
  const given = new Map<string, string>(Object.entries(options));
  const flags = names.map((name) => [name, given.get(settingOption(name).attributeName())]);
  const result = readConfig({ env: io.env, flags: Object.fromEntries(flags) });
  if (result.ok) return result.config;
  throw new CommandFailure("invalid_config", result.faults.join("\n"), 2);
}
