/** How Anthropic lists its models (docs/wire/anthropic-messages.md section 1). */
import { isRecord } from "../../lib/record.ts";
import {
  firstTitle,
  firstTokens,
  type Listing,
  listed,
  nameOf,
  nextOf,
  readItems,
  withQuery,
} from "../listing.ts";

export const anthropicListing: Listing = {
  path: (probePath, next) => withQuery(probePath, { limit: "1000", after_id: next }),
  read(body) {
    if (!isRecord(body) || !Array.isArray(body["data"])) return undefined;
    const models = readItems(body["data"], (item) => {
      const name = nameOf(item["id"]);
      if (name === undefined) return undefined;
      return listed({
        name,
        title: firstTitle(item["display_name"]),
        context: firstTokens(item["max_input_tokens"]),
        maxOutput: firstTokens(item["max_tokens"]),
        isOther: false,
      });
    });
    return { models, ...(body["has_more"] === true ? nextOf(body["last_id"]) : {}) };
  },
};
