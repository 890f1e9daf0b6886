/**
 * P23's upstreams: every provider in every wire format that its descriptor names, and how each of them writes
 * answers and errors. A format without a writer here fails the rig.
 */
import type { FormatId } from "@plaza/contract/formats.ts";
import { type TestedProvider, testedProviders } from "../../../../server/src/providers/testing/all.ts";
import { json, type Reply, type Wire } from "../../../../server/src/providers/testing/wire.ts";
import {
  messageEvents,
  messageItem,
  response,
  responsesWire,
  startEvents,
} from "../../../behaviour/harness/responses-shapes.ts";

/** A provider's upstream that speaks one format. */
export interface SpeakingProvider {
  readonly provider: TestedProvider;
  readonly wire: Wire;
  /** As a deployment's `formats` say it; undefined: the provider's first. */
  readonly formats: readonly FormatId[] | undefined;
  /** Like `azure, openai-responses`. */
  readonly name: string;
}

/** Responses of a provider that writes errors as `own` does. */
const inResponses = (own: Wire): Wire => ({
  ...own,
  streamType: "text/event-stream",
  whole: (said) => json(response([messageItem(said)])),
  stream(said) {
    const all = responsesWire([
      ...startEvents(),
      ...messageEvents([said]),
      { type: "response.completed", response: response([messageItem(said)]) },
    ]);
    const at = all.indexOf("event: response.output_text.done");
    return { begin: Buffer.from(all.slice(0, at)), rest: Buffer.from(all.slice(at)) };
  },
  streamError: (_status, code, message) =>
    Buffer.from(
      responsesWire([
        { type: "error", code, message, param: null },
        {
          type: "response.failed",
          response: response([], { status: "failed", error: { code: "server_error", message } }),
        },
      ]),
    ),
});

/** Writers of the formats that are not a provider's first. */
const further: Readonly<Partial<Record<FormatId, (own: Wire) => Wire>>> = { "openai-responses": inResponses };

const forms = testedProviders.flatMap((provider) =>
  (provider.descriptor.formats ?? []).map((format, index) => ({ provider, format, isFirst: index === 0 })),
);

export const speakingProviders: readonly SpeakingProvider[] = forms.flatMap(
  ({ provider, format, isFirst }) => {
    const wire = isFirst ? provider.wire : further[format]?.(provider.wire);
    if (wire === undefined) return [];
    return [{ provider, wire, formats: isFirst ? undefined : [format], name: `${provider.id}, ${format}` }];
  },
);

/** Providers without a format, and formats without a writer. */
export const unspoken: readonly string[] = [
  ...testedProviders
    .filter(({ descriptor }) => (descriptor.formats ?? []).length === 0)
    .map(({ id }) => `${id}: no formats`),
  ...forms
    .filter(({ format, isFirst }) => !isFirst && further[format] === undefined)
    .map(({ provider, format }) => `${provider.id}, ${format}: nothing writes it here`),
];

/**
 * `shown`: a refusal of the caller's own request, whose text is passed on without secrets. `hidden`: any
 * other. `in a 200`: an error where an answer should be; `after content`: within a stream. `sound`: none.
 */
export type Form = "shown" | "hidden" | "in a 200" | "after content" | "sound";

export interface FormedReply {
  readonly form: Form;
  readonly status: number;
  readonly text: string;
  readonly isStream: boolean;
}

/** Upstream response headers that callers must not receive. */
const headersOf = (core: string): Record<string, string> => ({
  "anthropic-organization-id": core,
  "x-amzn-requestid": core,
  "apim-request-id": core,
  "x-ms-region": core,
  "x-plaza-upstream": core,
  "set-cookie": `session=${core}`,
});

/** `core`: a planted text for the headers. */
export function replyOf(
  { provider, wire }: SpeakingProvider,
  { form, status, text, isStream }: FormedReply,
  core: string,
): Reply {
  const headers = headersOf(core);
  const type = provider.secrets.shownType;
  const streamHeaders = { ...headers, "content-type": wire.streamType };
  const { begin, rest } = wire.stream("fine");
  if (form === "sound")
    return isStream
      ? { headers: streamHeaders, body: Buffer.concat([begin, rest]) }
      : { headers, body: wire.whole("fine") };
  if (form === "after content")
    return { headers: streamHeaders, body: Buffer.concat([begin, wire.streamError(500, type, text)]) };
  if (form === "in a 200" && isStream)
    return { headers: streamHeaders, body: wire.streamError(500, type, text) };
  const named = form === "shown" ? wire.errorHeaders?.(type) : undefined;
  return {
    status: form === "in a 200" ? 200 : status,
    headers: { ...headers, ...named },
    body: wire.error(status, type, text),
  };
}
