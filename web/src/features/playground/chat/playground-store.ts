/**
 * The playground's conversation, kept while the console is open: leaving the page and returning loses
 * nothing, and an answer continues meanwhile. Knows no React.
 */

import type { Endpoint } from "../endpoint.ts";
import { before, type Exchange, exchangesMax, messagesOf, withRun } from "./conversation.ts";
import { type LiveRun, startRun } from "./live-run.ts";
import { bodyText, type ChatParameters, chatBody, type GivenImage, unsetParameters } from "./request.ts";
import { type ChatRun, isRunning, newRun } from "./run-chat.ts";

/** What is on the page. */
interface PlaygroundState {
  readonly exchanges: readonly Exchange[];
  readonly system: string;
  readonly parameters: ChatParameters;
  readonly draft: { readonly text: string; readonly images: readonly GivenImage[] };
  /** Calls that were made and are no longer in the list: retried, edited; they were charged all the same. */
  readonly former: readonly ChatRun[];
}

/** With what a turn is sent. */
export interface Sender {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly keyId: string;
  /** Called when an answer is over and what it cost is known, or not to be known. */
  readonly onSettled: () => void;
}

export interface Playground {
  read(): PlaygroundState;
  subscribe(changed: () => void): () => void;
  set(change: Partial<Pick<PlaygroundState, "system" | "parameters" | "draft">>): void;
  /**
   * Sends a turn after all that is there; false when it cannot: an answer is
   * under way, or the conversation is full.
   */
  send(sender: Sender, prompt: Pick<Exchange, "text" | "images">): boolean;
  /** Sends a turn in the place of this one; what came after it goes. */
  replace(sender: Sender, id: number, prompt: Pick<Exchange, "text" | "images">): boolean;
  stop(): void;
  clear(): void;
}

/** What a call cost may be known only after it left the list. */
function withRecord(former: readonly ChatRun[], run: ChatRun): readonly ChatRun[] {
  if (run.requestId === null || !former.some(({ requestId }) => requestId === run.requestId)) return former;
  return former.map((one) => (one.requestId === run.requestId ? run : one));
}

const empty: PlaygroundState = {
  exchanges: [],
  system: "",
  parameters: unsetParameters,
  draft: { text: "", images: [] },
  former: [],
};

/** A separate conversation. */
export function createPlayground(start: typeof startRun = startRun): Playground {
  let state = empty;
  let live: LiveRun | undefined;
  let lastId = 0;
  const listeners = new Set<() => void>();
  const change = (next: Partial<PlaygroundState>) => {
    state = { ...state, ...next };
    for (const changed of listeners) changed();
  };
  const isBusy = () => state.exchanges.some(({ run }) => isRunning(run));

  function begin(
    sender: Sender,
    past: readonly Exchange[],
    { text, images }: Pick<Exchange, "text" | "images">,
  ): boolean {
    if (isBusy() || past.length >= exchangesMax) return false;
    const { endpoint, model, keyId } = sender;
    const body = bodyText(
      chatBody(model, state.system, messagesOf(past, { text, images }), state.parameters),
    );
    const call = { model, keyId, body };
    lastId += 1;
    const id = lastId;
    const gone = state.exchanges.slice(past.length).map(({ run }) => run);
    change({
      exchanges: [...past, { id, text, images, run: newRun(call) }],
      former: [...state.former, ...gone.filter((run) => run.requestId !== null)].slice(-exchangesMax),
    });
    live = start(endpoint, call, (run) =>
      change({ exchanges: withRun(state.exchanges, id, run), former: withRecord(state.former, run) }),
    );
    void live.done.then(sender.onSettled);
    return true;
  }

  return {
    read: () => state,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    set: change,
    send: (sender, prompt) => begin(sender, state.exchanges, prompt),
    replace: (sender, id, prompt) => begin(sender, before(state.exchanges, id), prompt),
    stop: () => live?.stop(),
    clear() {
      live?.stop();
      change({ exchanges: [], former: [], draft: { text: "", images: [] } });
    },
  };
}
