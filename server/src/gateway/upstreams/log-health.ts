/** One log line for every change of an upstream's state. Somebody has to look at a credential that is out. */
import { faultRules } from "../../domain/routing/fault.ts";
import type { Log, LogFields } from "../../lib/telemetry/log.ts";
import type { HealthEvent } from "./verdict.ts";

/** Mended only by a person: an alarm. */
function isAlarm({ name, fault }: HealthEvent): boolean {
  if (name === "usage_distrusted" || name === "usage_beyond_asked") return true;
  if (name === "credential_out") return true;
  return name === "deployment_ejected" && fault !== undefined && faultRules[fault].owner === "operator";
}

export function logHealthEvent(log: Log, event: HealthEvent): void {
  const { name, isRepeated, ...rest } = event;
  if (isRepeated === true) return;
  const fields: LogFields = rest;
  if (isAlarm(event)) log.error(name, { ...fields, isAlarm: true });
  else if (name.endsWith("_back")) log.info(name, fields);
  else log.warn(name, fields);
}
