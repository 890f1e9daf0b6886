/**
 * The playground's conversation, kept while the console is open: leaving the page and returning loses
 * nothing, an answer continues meanwhile, and a reload shows the same. Knows no React.
 */

import type { Endpoint } from "../endpoint.ts";
import { readSaved, savedText } from "../kept/saved.ts";
import { before, type Exchange, exchangesMax, messagesOf, type Prompt, withRun } from "./conversation.ts";
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
  send(sender: Sender, prompt: Prompt): boolean;
  /** Sends a turn in the place of this one; what came after it goes. */
  replace(sender: Sender, id: number, prompt: Prompt): boolean;
  stop(): void;
  clear(): void;
  /** Writes the state to where it is kept. */
  keep(): void;
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

/** Where a conversation is kept across reloads, as text. */
export interface Keeper {
  readonly read: () => string | null;
  readonly write: (text: string) => void;
}

/** A separate conversation. `keeper` keeps it; without one it lasts as long as the page. */
export function createPlayground(start: typeof startRun = startRun, keeper?: Keeper): Playground {
  let state: PlaygroundState = readSaved(keeper?.read() ?? null) ?? empty;
  let live: LiveRun | undefined;
  let lastId = state.exchanges.reduce((most, { id }) => Math.max(most, id), 0);
  const listeners = new Set<() => void>();
  const keep = () => {
    const text = keeper === undefined ? undefined : savedText(state);
    if (text !== undefined) keeper?.write(text);
  };
  const change = (next: Partial<PlaygroundState>) => {
    state = { ...state, ...next };
    for (const changed of listeners) changed();
  };
  const isBusy = () => state.exchanges.some(({ run }) => isRunning(run));

  function begin(sender: Sender, past: readonly Exchange[], { text, images, results }: Prompt): boolean {
    if (isBusy() || past.length >= exchangesMax) return false;
    const { endpoint, model, keyId } = sender;
    const said: Prompt = { text, images, ...(results === undefined ? {} : { results }) };
    const body = bodyText(chatBody(model, state.system, messagesOf(past, said), state.parameters));
    const call = { model, keyId, body };
    lastId += 1;
    const id = lastId;
    const gone = state.exchanges.slice(past.length).map(({ run }) => run);
    change({
      exchanges: [...past, { id, ...said, run: newRun(call) }],
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
    keep,
    send: (sender, prompt) => begin(sender, state.exchanges, prompt),
    replace: (sender, id, prompt) => begin(sender, before(state.exchanges, id), prompt),
    stop: () => live?.stop(),
    clear() {
      live?.stop();
      change({ exchanges: [], former: [], draft: { text: "", images: [] } });
    },
  };
}
