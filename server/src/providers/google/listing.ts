/** How the Gemini API lists its models (docs/wire/gemini.md section 1). */
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

export const googleListing: Listing = {
  path: (probePath, next) => withQuery(probePath, { pageSize: "1000", pageToken: next }),
  read(body) {
    if (!isRecord(body)) return undefined;
    const items = body["models"] ?? (Object.keys(body).length === 0 ? [] : undefined);
    if (!Array.isArray(items)) return undefined;
    const models = readItems(items, (item) => {
      const name = nameOf(item["name"])?.replace(/^models\/(?=.)/, "");
      if (name === undefined) return undefined;
      const methods = item["supportedGenerationMethods"];
      return listed({
        name,
        title: firstTitle(item["displayName"]),
        context: firstTokens(item["inputTokenLimit"]),
        maxOutput: firstTokens(item["outputTokenLimit"]),
        isOther: Array.isArray(methods) && !methods.includes("generateContent"),
      });
    });
    return { models, ...nextOf(body["nextPageToken"]) };
  },
};
