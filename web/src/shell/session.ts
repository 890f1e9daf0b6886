/**
 * The signed-in user, for every page: loaded once, kept up to date, renewed in place when it expires. Knows
 * no page.
 */
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { call, callState } from "../api/call.ts";
import { apiQueryOptions, queryClient } from "../api/queries.ts";
import type { Answer } from "../api/routes.ts";
import { setLanguage } from "../i18n/language.ts";
import { setSiteName } from "../ui/document-title.ts";
import { setTheme } from "./theme.ts";

/** The session's answer: user, account, installation. */
export type Session = Answer<"get /session">;

const sessionOptions = { ...apiQueryOptions("get /session"), staleTime: 60_000 };

/** Takes a session that came as an answer: from signing in, a link, a changed profile. */
export function takeSession(session: Session): void {
  const former = queryClient.getQueryData(sessionOptions.queryKey);
  if (former !== undefined && former.user?.id !== session.user?.id) {
    queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== "/session" });
  }
  setSiteName(session.installation.name);
  callState.csrfToken = session.csrfToken;
  callState.signInAgain = session.user === null ? null : signInAgain;
  if (session.user !== null && former?.user?.id !== session.user.id) {
    if (session.user.language !== null) setLanguage(session.user.language);
    if (session.user.theme !== null) setTheme(session.user.theme);
  }
  queryClient.setQueryData(sessionOptions.queryKey, session);
}

/** The session, asked for when it is not known yet; for guards of routes. */
export async function loadSession(): Promise<Session> {
  const known = queryClient.getQueryData(sessionOptions.queryKey);
  if (known !== undefined) return known;
  const session = await call("get /session");
  takeSession(session);
  return session;
}

/** Asks again: after a change of the profile or of the installation. */
export async function reloadSession(): Promise<void> {
  takeSession(await call("get /session"));
}

/**
 * Checks for a signed-in user and takes that session; leaves
 * everything as it is without one.
 */
export async function findSession(): Promise<boolean> {
  const session = await call("get /session");
  if (session.user !== null) takeSession(session);
  return session.user !== null;
}

/** The session on a page; guards have loaded it before any page is drawn. */
export function useSession(): Session {
  const { data } = useQuery({ ...sessionOptions, queryFn: loadFresh });
  if (data === undefined) throw new Error("The session is read before it was loaded.");
  return data;
}

async function loadFresh(): Promise<Session> {
  const token = callState.csrfToken;
  const session = await call("get /session");
  const former = queryClient.getQueryData(sessionOptions.queryKey);
  // A lapsed session must not turn the page into a signed-out one: what is typed would be lost. One that was
  // replaced meanwhile is not asked for.
  const isExpired = former?.user != null && session.user === null;
  if (isExpired && (callState.csrfToken !== token || (await signInAgain()))) return await loadFresh();
  // Another user may have signed in in another tab: cached data must not be shown to them.
  takeSession(session);
  return session;
}

/** Signs out and forgets everything that was read. */
export async function signOut(): Promise<void> {
  callState.signInAgain = null;
  await call("delete /session").catch(() => undefined);
  queryClient.clear();
  try {
    // What the command palette remembers of this user.
    localStorage.removeItem("plaza.recent");
  } catch {
    // Storage may be switched off: nothing was remembered.
  }
  location.assign("/sign-in");
}

const expiry = {
  /** Resolves the waiting requests; null while no session has expired. */
  settle: null as ((isBack: boolean) => void) | null,
  waiting: null as Promise<boolean> | null,
  listeners: new Set<() => void>(),
};

function notify(): void {
  for (const changed of expiry.listeners) changed();
}

/** Opens the dialog over the page; all calls that meet an expired session wait for the same answer. */
function signInAgain(): Promise<boolean> {
  expiry.waiting ??= new Promise<boolean>((resolve) => {
    expiry.settle = (isBack) => {
      expiry.settle = null;
      expiry.waiting = null;
      resolve(isBack);
      notify();
    };
  });
  notify();
  return expiry.waiting;
}

/** For the dialog: how to answer, or null while no session expired. */
export function useSessionExpired(): ((isBack: boolean) => void) | null {
  return useSyncExternalStore(
    (changed) => {
      expiry.listeners.add(changed);
      return () => expiry.listeners.delete(changed);
    },
    () => expiry.settle,
  );
}
