/** How the Gemini API lists its models (docs/wire/gemini.md section 1). */
import { firstTitle, firstTokens, listed, pagedListing } from "../listing.ts";

export const googleListing = pagedListing({
  items: "models",
  nameField: "name",
  namePrefix: /^models\/(?=.)/,
  mayLackItems: true,
  query: (next) => ({ pageSize: "1000", pageToken: next }),
  next: (page) => page["nextPageToken"],
  read(name, item) {
    const methods = item["supportedGenerationMethods"];
    const isOther = Array.isArray(methods) && !methods.includes("generateContent");
    const embeds = isOther && methods.includes("embedContent");
    return listed({
      name,
      title: firstTitle(item["displayName"]),
      context: firstTokens(item["inputTokenLimit"]),
      maxOutput: firstTokens(item["outputTokenLimit"]),
      operations: embeds ? ["embeddings"] : undefined,
      isOther: isOther && !embeds,
    });
  },
});
