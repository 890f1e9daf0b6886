/** Logs each change of an upstream's state. Problems that need the operator are marked as alarms. */
import { faultRules } from "../../domain/routing/fault.ts";
import type { Log, LogFields } from "../../lib/telemetry/log.ts";
import type { HealthEvent } from "./verdict.ts";

/** True when only the operator can fix the problem. */
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
