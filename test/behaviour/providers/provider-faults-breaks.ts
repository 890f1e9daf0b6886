/** Answers that break, at every provider: the second half of `provider-faults-table.ts`. */
import {
  broken,
  busy,
  type FaultRow,
  inBand,
  late,
  noAnswer,
  type Outcome,
} from "./provider-faults-outcomes.ts";
import type { Reply, Wire } from "./provider-wires.ts";

/** The protocol's own overload, inside a 200. */
const overloads: Readonly<Record<string, readonly [number, string]>> = {
  openai: [503, "server_is_overloaded"],
  azure: [503, "server_is_overloaded"],
  anthropic: [529, "overloaded_error"],
  "vertex-anthropic": [529, "overloaded_error"],
  google: [503, "UNAVAILABLE"],
  bedrock: [503, "ServiceUnavailableException"],
};

const html = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
const said = "partial words of an answer";
const isStreamHead = (wire: Wire, isStream: boolean) => ({
  "content-type": isStream ? wire.streamType : "application/json",
});

/** What every provider has in common: how answers break. */
export function anywhere(provider: string): FaultRow[] {
  const [status, type] = overloads[provider] ?? [503, ""];
  const row = (
    fault: string,
    outcome: Outcome,
    reply: FaultRow["reply"],
    only?: FaultRow["only"],
  ): FaultRow => ({
    fault,
    provider,
    outcome,
    reply,
    ...(only === undefined ? {} : { only }),
  });
  const begun = (wire: Wire): Buffer => wire.stream(said).begin;
  const streamed = (wire: Wire, body: Buffer, ending?: Reply["ending"]): Reply => ({
    headers: isStreamHead(wire, true),
    body,
    ...(ending === undefined ? {} : { ending }),
  });
  return [
    row("error in a 200", busy, (wire, isStream) =>
      isStream
        ? streamed(wire, wire.streamError(status, type, "Busy."))
        : { body: wire.error(status, type, "Busy.") },
    ),
    row(
      "overloaded after content",
      { ...inBand, code: "no_available_upstream" },
      (wire) => streamed(wire, Buffer.concat([begun(wire), wire.streamError(status, type, "Busy.")])),
      "stream",
    ),
    row("cut after content", inBand, (wire) => streamed(wire, begun(wire), "cut"), "stream"),
    row("no end after content", inBand, (wire) => streamed(wire, begun(wire)), "stream"),
    row(
      "cut inside an event",
      inBand,
      (wire) => streamed(wire, Buffer.concat([begun(wire), wire.stream(said).rest.subarray(0, 20)]), "cut"),
      "stream",
    ),
    row(
      "stall after content",
      { ...inBand, code: "upstream_timeout" },
      (wire) => streamed(wire, begun(wire), "hang"),
      "stream",
    ),
    row("stall before content", late, (wire, isStream) => ({
      headers: isStreamHead(wire, isStream),
      body: "",
      ending: "hang",
    })),
    row(
      "a whole answer is cut",
      broken,
      (wire) => ({ body: wire.whole(said).slice(0, 40), ending: "cut" }),
      "whole",
    ),
    row("half a whole answer", noAnswer, (wire) => ({ body: wire.whole(said).slice(0, 40) }), "whole"),
    row("an empty answer", noAnswer, (wire, isStream) => ({
      headers: isStreamHead(wire, isStream),
      body: "",
    })),
    row("HTML with 200", noAnswer, () => ({ headers: { "content-type": "text/html" }, body: html })),
    row("HTML with 502", broken, () => ({
      status: 502,
      headers: { "content-type": "text/html" },
      body: html,
    })),
    // Small enough to be read whole; too deep to be written again.
    row("an error nested deeply", broken, () => ({
      status: 500,
      body: `{"error":{"type":"x","message":${"[".repeat(30_000)}${"]".repeat(30_000)}}}`,
    })),
    row("redirect", noAnswer, () => ({
      status: 302,
      headers: { location: "http://127.0.0.1:1/" },
      body: "",
    })),
    row("nonsense", noAnswer, (wire, isStream) => ({
      headers: isStreamHead(wire, isStream),
      body: "\0\x01\x02nonsense\n\n",
    })),
  ];
}

/**
 * The connection breaks when everything but the end was said: usage had come. Google and Bedrock tell it with the end itself, so that the
 * charge is an estimate there.
 */
export const counted: readonly FaultRow[] = ["openai", "azure", "anthropic", "vertex-anthropic"].map(
  (provider) => ({
    fault: "cut after usage",
    provider,
    only: "stream",
    outcome: { ...inBand, isCounted: true },
    reply: (wire) => {
      const { begin, rest } = wire.stream(said);
      const body = Buffer.concat([begin, rest.subarray(0, rest.length - (wire.endBytes ?? 0))]);
      return { headers: isStreamHead(wire, true), body, ending: "cut" };
    },
  }),
);

/** Prompts that are blocked: an answer, with `content_filter` as its finish reason. */
export const blocked: readonly FaultRow[] = [
  {
    fault: "blocked prompt",
    provider: "google",
    outcome: { status: 200, attempts: 1, fallsBack: false },
    reply: (_wire, isStream) => {
      const body = JSON.stringify({
        promptFeedback: { blockReason: "SAFETY" },
        usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
      });
      return isStream
        ? { headers: { "content-type": "text/event-stream" }, body: `data: ${body}\n\n` }
        : { body };
    },
  },
];
