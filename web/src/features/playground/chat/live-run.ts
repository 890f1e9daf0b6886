/**
 * A call under way that can be stopped; pieces that come faster than a page can be
 * drawn are reported together. Knows no React.
 */
import type { Endpoint } from "../endpoint.ts";
import { type ChatCall, type ChatRun, isRunning, runChat } from "./run-chat.ts";

/** Pieces within this many milliseconds are reported together. */
const togetherMs = 60;

/** A call under way. */
export interface LiveRun {
  readonly stop: () => void;
  /** The last state, with its record. */
  readonly done: Promise<ChatRun>;
}

/** Starts a request. Reports changes of state immediately and text a few times a second. */
export function startRun(endpoint: Endpoint, call: ChatCall, onChange: (run: ChatRun) => void): LiveRun {
  const stopper = new AbortController();
  let notified: ChatRun | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: ChatRun | undefined;
  const notify = () => {
    clearTimeout(timer);
    timer = undefined;
    if (latest === undefined || latest === notified) return;
    notified = latest;
    onChange(latest);
  };
  const done = runChat(endpoint, call, stopper.signal, (run) => {
    latest = run;
    if (notified === undefined || run.state !== notified.state || !isRunning(run)) notify();
    else timer ??= setTimeout(notify, togetherMs);
  });
  return { stop: () => stopper.abort(), done };
}
