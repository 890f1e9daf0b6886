/**
 * The demo's answer to an embeddings request as a script: a short pause, then several pieces, as from a
 * network.
 */
import { parseJson } from "../../../lib/record.ts";
import type { ScriptWriter } from "../../provider.ts";
import { answerEmbeddings } from "./answer.ts";

const afterMs = 20;
const pieceBytes = 1024 * 1024;

export const playEmbeddings: ScriptWriter = (request, model) => {
  const { status, body } = answerEmbeddings(parseJson(request.body.toString("utf8")), model);
  const pieces = Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, index) =>
    body.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  return {
    status,
    headers: { "content-type": "application/json" },
    steps: pieces.map((bytes, index) => ({ afterMs: index === 0 ? afterMs : 0, bytes })),
    ending: "end",
  };
};
