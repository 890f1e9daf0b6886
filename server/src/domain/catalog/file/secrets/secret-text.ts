/**
 * Reads a secret that becomes the value of an HTTP header: from a variable, from a file that it names, or as
 * it is. Messages never show it.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { quote } from "../../../../lib/quote.ts";
import { fault, type Reading, readText, type Spot } from "../reading.ts";

/** The text of the file that a secret like `file:/run/secrets/key` names; undefined after a fault. */
function readSecretFile(reading: Reading, spot: Spot, path: string): string | undefined {
  const secret = reading.readSecret?.(path) ?? { code: "ENOSYS" };
  if ("text" in secret) {
    if (secret.text !== "") return secret.text;
    fault(reading, spot, message("file.secretEmpty", { path: quote(path) }));
    return undefined;
  }
  fault(reading, spot, message("file.secretUnreadable", { path: quote(path), code: secret.code }));
  return undefined;
}

/** The secret; "" when there is none. `what` describes it, and it has at most `lengthMax` characters. */
export function readSecretText(reading: Reading, spot: Spot, what: Message, lengthMax: number): string {
  const read = readText(reading, spot, what, true);
  if (read === undefined) return "";
  const isFile =
    reading.env !== undefined &&
    spot.part.kind === "text" &&
    spot.part.text.startsWith("file:") &&
    read.text.startsWith("file:/");
  const text = isFile ? readSecretFile(reading, spot, read.text.slice("file:".length)) : read.text;
  if (text === undefined) return "";
  if (text.length > lengthMax) fault(reading, spot, message("file.tooLong", { max: lengthMax }));
  // No line end must get into a head.
  else if (!/^[!-~](?:[ -~]*[!-~])?$/.test(text)) fault(reading, spot, message("file.notPrintable"));
  return text;
}
