/** The files a chat request gives by URL, for providers that need their bytes. */
import { type Address, addressesOf as addressesIn } from "../../conversation/media.ts";
import type { ProviderRequest } from "../protocol.ts";
import { decodeRequest } from "./decode-request.ts";

/** Each URL once. Throws `Untranslatable` for an invalid request. */
export const addressesOf = ({ body }: Pick<ProviderRequest, "body">): Address[] =>
  addressesIn(decodeRequest(body));
