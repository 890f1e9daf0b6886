/** The end of a message about an unknown word: what was meant perhaps, and what there is. */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { suggestion } from "../../../lib/nearest.ts";
import { quote } from "../../../lib/quote.ts";

/** `; did you mean "main"? (upstreams: main, backup)`. `what` names the candidates; at most 20 are listed. */
export function guess(word: string, candidates: readonly string[], what: string): Message {
  const { meant, listed } = suggestion(word, candidates);
  return meant === undefined
    ? message("file.candidates", { what, listed })
    : message("file.didYouMean", { meant: quote(meant), what, listed });
}
