/** Where calls of Claude on Vertex AI go and what they carry beside the body. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { googleHeaders, methodPath } from "../google/endpoint.ts";

/** Stands in the body, where Anthropic's own API has a header. */
export const version = "vertex-2023-10-16";

/** `model`: its name, with its version behind an @. */
export const callPath = ({ baseUrl }: Upstream, model: string, isStream: boolean): string =>
  methodPath(baseUrl, model, isStream ? "streamRawPredict" : "rawPredict");

/** `credential`: an access token. Flags of features not open to everyone come from the upstream's options. */
export function headersFor({ options }: Upstream, credential: string, isStream: boolean): string[] {
  const beta = options?.["beta"];
  return [
    ...googleHeaders("vertex", credential, isStream),
    ...(beta === undefined ? [] : ["anthropic-beta", beta]),
  ];
}
