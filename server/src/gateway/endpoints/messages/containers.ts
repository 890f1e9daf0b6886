/**
 * Containers and skills that a Messages request names by an id. They lie at an upstream under a credential
 * that serves many accounts, and no answer says whose they are, so that each of them is unknown.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { JsonScan } from "../../../lib/json/scan-shapes.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";

const fieldName = "container";

/** Longer containers are not read, but refused. */
const bytesMax = 64 * 1024;

const unknown = (param: string): GatewayError =>
  new GatewayError("not_found", { message: message("call.upstreamIdUnknown", { param }), param });

/** Throws `not_found` for a container by its id, and for a skill that is not one of Anthropic's own. */
export function refuseContainers(scan: JsonScan, body: Buffer): void {
  for (const { name, kind, start, end } of scan.fields) {
    if (name !== fieldName || kind === "null") continue;
    if (end - start > bytesMax) throw unknown(fieldName);
    refuseIn(parseJson(body.toString("utf8", start, end)));
  }
}

function refuseIn(container: unknown): void {
  if (typeof container === "string") throw unknown(fieldName);
  const { id, skills } = recordOf(container);
  if (id !== undefined && id !== null) throw unknown(`${fieldName}.id`);
  for (const [index, skill] of (Array.isArray(skills) ? skills : []).entries())
    if (recordOf(skill)["type"] !== "anthropic") throw unknown(`${fieldName}.skills[${index}].skill_id`);
}
