/** How Anthropic lists its models (docs/wire/anthropic-messages.md section 1). */
import { firstTitle, firstTokens, listed, pagedListing } from "../listing.ts";

export const anthropicListing = pagedListing({
  items: "data",
  nameField: "id",
  query: (next) => ({ limit: "1000", after_id: next }),
  next: (page) => (page["has_more"] === true ? page["last_id"] : undefined),
  read: (name, item) =>
    listed({
      name,
      title: firstTitle(item["display_name"]),
      context: firstTokens(item["max_input_tokens"]),
      maxOutput: firstTokens(item["max_tokens"]),
    }),
});
