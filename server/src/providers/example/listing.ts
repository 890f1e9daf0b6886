/**
 * Reads the example's list of models: `{ "engines": [{ "name", "title", "window", "longest" }], "more" }`.
 */
import { firstTitle, firstTokens, listed, pagedListing } from "../listing.ts";

export const exampleListing = pagedListing({
  items: "engines",
  nameField: "name",
  query: (next) => ({ after: next }),
  next: (body) => body["more"],
  read: (name, item) =>
    listed({
      name,
      title: firstTitle(item["title"]),
      context: firstTokens(item["window"]),
      maxOutput: firstTokens(item["longest"]),
    }),
});
