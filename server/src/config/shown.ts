/** Startup settings as shown to the operator: current value and source, without secrets. */
import { type Config, environmentName, listSettings, type SettingName } from "./config.ts";
import type { DatabaseSetting } from "./values.ts";

/** The current value of a setting. */
export interface SettingInForce {
  readonly name: SettingName;
  readonly variable: string;
  /** The variable or flag that set it; undefined = not set. */
  readonly from: string | undefined;
  /** undefined: unset or secret. */
  readonly value: string | undefined;
}

/** Returns the database without user, password or query. */
function shownDatabase(place: DatabaseSetting): string {
  if (place.kind === "sqlite") return `sqlite:${place.file}`;
  const { protocol, host, pathname } = new URL(place.url);
  return `${protocol}//${host}${pathname}`;
}

/** Returns all settings in the table's order, without secrets. */
export function settingsInForce(config: Config): SettingInForce[] {
  return listSettings().map(([name, { initial, isSecret }]) => {
    const given = config.given[name];
    const value = name === "database" ? shownDatabase(config.database) : (given?.text ?? initial);
    return {
      name,
      variable: environmentName(name),
      from: given?.from,
      value: isSecret === true ? undefined : value,
    };
  });
}
