/** Broken answers of every provider: the second half of `provider-faults-table.ts`. */
import type { TestedProvider } from "../../../server/src/providers/testing/all.ts";
import {
  broken,
  busy,
  type FaultCause,
  inBand,
  late,
  noAnswer,
  type Outcome,
} from "../../../server/src/providers/testing/fault-outcomes.ts";
import type { Reply, Wire } from "../../../server/src/providers/testing/wire.ts";

const html = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
const said = "partial words of an answer";
const isStreamHead = (wire: Wire, isStream: boolean) => ({
  "content-type": isStream ? wire.streamType : "application/json",
});

/**
 * The connection breaks after usage, before the end. Formats that send usage with the end have no such case:
 * their charge is an estimate.
 */
function cutAfterUsage({ endBytes = 0 }: Wire): FaultCause[] {
  if (endBytes === 0) return [];
  const reply = (wire: Wire): Reply => {
    const { begin, rest } = wire.stream(said);
    const body = Buffer.concat([begin, rest.subarray(0, rest.length - endBytes)]);
    return { headers: isStreamHead(wire, true), body, ending: "cut" };
  };
  return [{ fault: "cut after usage", only: "stream", outcome: { ...inBand, isCounted: true }, reply }];
}

/** Ways in which answers break at every provider. */
export function anywhere({ overload: [status, type], wire }: TestedProvider): FaultCause[] {
  const row = (
    fault: string,
    outcome: Outcome,
    reply: NonNullable<FaultCause["reply"]>,
    only?: FaultCause["only"],
  ): FaultCause => ({ fault, outcome, reply, ...(only === undefined ? {} : { only }) });
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
    // Small enough to be read whole; too deep to be serialized again.
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
    ...cutAfterUsage(wire),
  ];
}
