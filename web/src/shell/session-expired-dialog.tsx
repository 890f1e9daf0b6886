/**
 * Signing in again over the page whose session ended: the page stays as it is, and what
 * was asked of the server is asked again.
 */
import { useEffect } from "react";
import { SignInForm } from "../features/sign-in/form.tsx";
import { shellMessages } from "../i18n/en/shell.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { findSession, signOut, useSession, useSessionExpired } from "./session.ts";

/** Coming back to this tab after signing in in another one ends the wait, too. */
function useSignedInInOtherTab(settle: ((isBack: boolean) => void) | null): void {
  useEffect(() => {
    if (settle === null) return;
    const look = () =>
      void findSession().then(
        (isBack) => isBack && settle(true),
        () => undefined,
      );
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [settle]);
}

/** Once, in the frame. */
export function SessionExpiredDialog() {
  const t = useMessages(shellMessages);
  const settle = useSessionExpired();
  const { user, installation } = useSession();
  useSignedInInOtherTab(settle);
  if (settle === null) return null;
  return (
    <Dialog open mustAnswer onClose={() => settle(false)} title={t("sessionExpiredTitle")}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">{t("sessionExpiredText")}</p>
        <SignInForm email={user?.email ?? ""} onSignedIn={() => settle(true)} />
        {installation.oidc !== null && (
          <a
            href="/api/oidc/begin?returnTo=/profile"
            target="_blank"
            rel="noreferrer"
            className={buttonClass("plain")}
          >
            {t("signInInNewTab", { name: installation.oidc.name })}
          </a>
        )}
        <Button variant="quiet" onClick={() => void signOut()}>
          {t("signOut")}
        </Button>
      </div>
    </Dialog>
  );
}
