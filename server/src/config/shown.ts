/**
 * Boot settings as they are shown to the operator: what is in force, what set it, and nothing that lets
 * anybody in. Reads nothing by itself.
 */
import { type Config, environmentName, listSettings, type SettingName } from "./config.ts";
import type { DatabaseSetting } from "./values.ts";

/** A setting as it is in force. */
export interface SettingInForce {
  readonly name: SettingName;
  readonly variable: string;
  /** The variable or flag that set it; undefined = not set. */
  readonly from: string | undefined;
  /** undefined: unset, or not to be shown. */
  readonly value: string | undefined;
}

/** A database without what lets people in. */
function shownDatabase(place: DatabaseSetting): string {
  if (place.kind === "sqlite") return `sqlite:${place.file}`;
  const { protocol, host, pathname } = new URL(place.url);
  return `${protocol}//${host}${pathname}`;
}

/** All settings as they are in force, in the table's order; no secrets. */
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
