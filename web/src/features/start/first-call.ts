/** The key that is made in the first run and the call with it. The secret lives as long as the page. */
import { useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { queryClient, refresh, refreshAfter } from "../../api/queries.ts";
import { staleAfterCall } from "../../api/stale.ts";
import { reloadSession, useSession } from "../../shell/session.ts";
import { bodyText } from "../playground/chat/request.ts";
import { type ChatRun, isRunning, runChat } from "../playground/chat/run-chat.ts";
import type { Endpoint } from "../playground/endpoint.ts";
import { useEndpoint } from "../playground/use-endpoint.ts";

interface MadeKey {
  readonly id: string;
  readonly secret: string;
}

/** What the account and its first key are called. */
export interface FirstNames {
  readonly account: string;
  readonly key: string;
}

/** Gives the account its name, where it has another. */
async function nameAccount(name: string): Promise<void> {
  const { account } = await call("get /balance");
  if (account.name === name) return;
  await call("patch /account", { body: { name, revision: account.revision } });
  await reloadSession();
  await refreshAfter(queryClient, "patch /account");
}

/** What the step shows and does. */
export interface FirstCall {
  readonly run: ChatRun | null;
  readonly secret: string | null;
  readonly isBusy: boolean;
  /** Why no key could be made. */
  readonly error: unknown;
  readonly start: (model: string, prompt: string, names: FirstNames) => void;
  readonly stop: () => void;
}

/** The body of a first call. */
export function firstBody(model: string, prompt: string): Record<string, unknown> {
  return { model, messages: [{ role: "user", content: prompt }], stream: true };
}

/** Makes the key at the first call and uses it again after that. */
export function useFirstCall(): FirstCall {
  const endpoint = useEndpoint();
  const session = useSession();
  const [key, setKey] = useState<MadeKey | null>(null);
  const [run, setRun] = useState<ChatRun | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isMaking, setMaking] = useState(false);
  const stopper = useRef<AbortController | null>(null);

  const makeKey = async (names: FirstNames): Promise<MadeKey> => {
    if (key !== null) return key;
    const name = names.key.trim();
    if (session.account?.role === "owner") await nameAccount(names.account.trim());
    const made = await call("post /keys", { body: { name } });
    const next = { id: made.key.id, secret: made.secret };
    setKey(next);
    return next;
  };

  const start = async (model: string, prompt: string, names: FirstNames) => {
    setError(null);
    setMaking(true);
    stopper.current = new AbortController();
    try {
      const { id, secret } = await makeKey(names);
      const own: Endpoint = {
        ...endpoint,
        ephemeralKeys: { get: async () => secret, drop: () => undefined },
      };
      setMaking(false);
      const sent = { model, keyId: id, body: bodyText(firstBody(model, prompt)) };
      await runChat(own, sent, stopper.current.signal, setRun);
      await refresh(queryClient, staleAfterCall);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setMaking(false);
    }
  };

  return {
    run,
    secret: key?.secret ?? null,
    isBusy: isMaking || (run !== null && isRunning(run)),
    error,
    start: (model, prompt, names) => void start(model, prompt, names),
    stop: () => stopper.current?.abort(),
  };
}
