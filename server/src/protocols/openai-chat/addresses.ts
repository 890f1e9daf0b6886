/** The files a chat request names by address, for providers that need their bytes. */
import { type Address, addressesOf as addressesIn } from "../../conversation/media.ts";
import type { ProviderRequest } from "../protocol.ts";
import { decodeRequest } from "./decode-request.ts";

/** Each address once. Throws `Untranslatable` where the request is wrong anyway. */
export const addressesOf = ({ body }: Pick<ProviderRequest, "body">): Address[] =>
  addressesIn(decodeRequest(body));
