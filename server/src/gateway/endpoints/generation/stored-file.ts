/** Files that lie at an upstream, which a request names by an id. */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";

/**
 * The refusal of such a file, named at `param`: one credential serves many accounts, and none of them stored
 * a file through Plaza.
 */
export const storedFile = (param: string): GatewayError =>
  new GatewayError("not_found", { message: message("call.fileUnknown", { param }), param });
