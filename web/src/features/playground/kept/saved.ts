/**
 * The playground's state as text, so that a reload shows the same: in the tab's own storage, by account, gone
 * when the tab is closed. What was under way reads as stopped. Knows no React and no secret.
 */
import type { Exchange } from "../chat/conversation.ts";
import { type ChatParameters, type GivenImage, unsetParameters } from "../chat/request.ts";
import { type ChatRun, isRunning } from "../chat/run-chat.ts";

/** What is kept of a conversation. */
export interface SavedState {
  readonly exchanges: readonly Exchange[];
  readonly system: string;
  readonly parameters: ChatParameters;
  readonly draft: { readonly text: string; readonly images: readonly GivenImage[] };
  readonly former: readonly ChatRun[];
}

/** Grows when the shape changes; another one is not read. */
const version = 1;
/** Browsers keep some 5 million letters; attachments and sent bodies go first. */
const lettersMax = 2_000_000;

/** A run without what only this page knows. */
function settled(run: ChatRun): ChatRun {
  const { record } = run;
  return {
    ...run,
    state: isRunning(run) ? "stopped" : run.state,
    thrown: null,
    record: record === "asking" ? null : record,
  };
}

/** Data URLs in a sent body are as large as the attachments themselves. */
const shortened = (body: string): string => body.replace(/base64,[A-Za-z0-9+/=]{200,}/g, "base64,");

function small(state: SavedState): SavedState {
  return {
    ...state,
    exchanges: state.exchanges.map((exchange) => ({
      ...exchange,
      images: [],
      run: { ...exchange.run, body: shortened(exchange.run.body) },
    })),
    draft: { ...state.draft, images: [] },
    former: state.former.map((run) => ({ ...run, body: shortened(run.body) })),
  };
}

/** The text to keep; undefined when even without attachments it is too long. */
export function savedText(state: SavedState): string | undefined {
  const plain: SavedState = {
    exchanges: state.exchanges.map((exchange) => ({ ...exchange, run: settled(exchange.run) })),
    system: state.system,
    parameters: state.parameters,
    draft: state.draft,
    former: state.former.map(settled),
  };
  for (const one of [plain, small(plain)]) {
    const text = JSON.stringify({ version, ...one });
    if (text.length <= lettersMax) return text;
  }
  return undefined;
}

/** Reads it back; undefined when it is none, or of another version. */
export function readSaved(text: string | null): SavedState | undefined {
  if (text === null) return undefined;
  try {
    const read = JSON.parse(text) as Partial<SavedState> & { readonly version?: number };
    if (read.version !== version || !Array.isArray(read.exchanges) || read.draft === undefined)
      return undefined;
    return {
      exchanges: read.exchanges,
      system: read.system ?? "",
      parameters: { ...unsetParameters, ...read.parameters },
      draft: read.draft,
      former: read.former ?? [],
    };
  } catch {
    return undefined;
  }
}
