/** The sign-in page; returns to the previous page. */
import { useSearch } from "@tanstack/react-router";
import { SignInForm } from "../../features/sign-in/form.tsx";
import { shellMessages } from "../../i18n/en/shell.ts";
import { signInMessages } from "../../i18n/en/sign-in.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Plain } from "../../shell/plain-page.tsx";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { useGo } from "../../ui/navigation.tsx";
import { Notice } from "../../ui/surfaces.tsx";

/** Only paths of this console, so that a link cannot redirect elsewhere. */
export function safeReturn(given: unknown): string {
  return typeof given === "string" && /^\/(?![/\\])/.test(given) && !given.startsWith("/sign-in")
    ? given
    : "/";
}

/** See above. */
export function SignInPage() {
  const t = useMessages(signInMessages);
  const shell = useMessages(shellMessages);
  const { installation } = useSession();
  const search = useSearch({ from: "/sign-in" });
  const go = useGo();
  const back = safeReturn(search.back);
  const oidcName = installation.oidc?.name ?? t("providerFallback");
  return (
    <Plain title={shell("signIn")} heading={installation.name}>
      {installation.needsSetup && <Notice tone="accent" title={t("needsSetup")} />}
      {search.oidc !== undefined && <Notice tone="bad" title={t("oidcFailed", { name: oidcName })} />}
      {!installation.needsSetup && <SignInForm onSignedIn={() => go(back, { replace: true })} />}
      {installation.oidc !== null && (
        <>
          <p className="flex items-center gap-3 text-small text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {t("or")}
          </p>
          <a
            href={`/api/oidc/begin?returnTo=${encodeURIComponent(back)}`}
            className="inline-flex min-h-[2.4rem] w-full items-center justify-center rounded-lg border border-control bg-surface px-3.5 font-medium hover:bg-hover"
          >
            {t("withProvider", { name: oidcName })}
          </a>
        </>
      )}
      {installation.plazaIsPublic && (
        <p className="text-center">
          <Link to="/models">{t("browseModels")}</Link>
        </p>
      )}
    </Plain>
  );
}
