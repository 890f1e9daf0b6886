/** Refusals that name the form fields they concern. */

import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";

/** An `invalid_request` for these fields; the message names the first. */
export function fieldsRefused(fields: readonly FieldFault[]): GatewayError {
  const [first] = fields;
  return new GatewayError("invalid_request", {
    message:
      first === undefined ? undefined : message("form.atField", { path: first.path, fault: first.message }),
    param: first?.path,
    fields,
  });
}

/** Throws where there is any fault. */
export function refuseFaults(fields: readonly FieldFault[]): void {
  if (fields.length > 0) throw fieldsRefused(fields);
}

/** Throws an `invalid_request` for the only field of a small form; the message need not name it. */
export function refuseField(path: string, fault: Message): never {
  throw new GatewayError("invalid_request", {
    message: fault,
    param: path,
    fields: [{ path, message: fault }],
  });
}
