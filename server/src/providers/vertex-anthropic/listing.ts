/**
 * Reads the list of a publisher's models in Vertex AI's Model Garden (aiplatform v1beta1,
 * publishers.models.list).
 */
import { listed, nameOf, pagedListing } from "../listing.ts";

export const vertexListing = pagedListing({
  items: "publisherModels",
  nameField: "name",
  namePrefix: /^publishers\/[^/]+\/models\/(?=.)/,
  mayLackItems: true,
  mayBeForbidden: true,
  query: (next) => ({ pageSize: "1000", pageToken: next }),
  next: (page) => page["nextPageToken"],
  read(name, item) {
    // Calls name the version too, unless it is the default one.
    const version = nameOf(item["versionId"]);
    const isPlain = version === undefined || version === "default" || name.includes("@");
    return listed({ name: isPlain ? name : `${name}@${version}` });
  },
});
