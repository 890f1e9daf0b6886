/** Refusals that stand beside the field of a form they are about. */
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";

/** An `invalid_request` about these fields; the first is told in the message. */
export function fieldsRefused(fields: readonly FieldFault[]): GatewayError {
  const [first] = fields;
  return new GatewayError("invalid_request", {
    message: first === undefined ? undefined : `${first.path}: ${first.message}`,
    param: first?.path,
    fields,
  });
}

/** Throws where there is any fault. */
export function refuseFaults(fields: readonly FieldFault[]): void {
  if (fields.length > 0) throw fieldsRefused(fields);
}
