/** How Vertex AI's Model Garden lists a publisher's models (aiplatform v1beta1, publishers.models.list). */
import { isRecord } from "../../lib/record.ts";
import { type Listing, listed, nameOf, nextOf, readItems, withQuery } from "../listing.ts";

export const vertexListing: Listing = {
  mayBeForbidden: true,
  path: (probePath, next) => withQuery(probePath, { pageSize: "1000", pageToken: next }),
  read(body) {
    if (!isRecord(body)) return undefined;
    const items = body["publisherModels"] ?? (Object.keys(body).length === 0 ? [] : undefined);
    if (!Array.isArray(items)) return undefined;
    const models = readItems(items, (item) => {
      const name = nameOf(item["name"])?.replace(/^publishers\/[^/]+\/models\/(?=.)/, "");
      // A version is a part of the name a call has, but where it is the default one.
      const version = nameOf(item["versionId"]);
      if (name === undefined) return undefined;
      const isPlain = version === undefined || version === "default" || name.includes("@");
      return listed({ name: isPlain ? name : `${name}@${version}` });
    });
    return { models, ...nextOf(body["nextPageToken"]) };
  },
};
