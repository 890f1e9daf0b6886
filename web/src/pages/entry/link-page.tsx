/** What a one-time link opens: the set-up of the installation, an invitation, a new password. */
import { LinkIcon } from "lucide-react";
import { isApiError } from "../../api/error.ts";
import { useApiQuery } from "../../api/queries.ts";
import { type LinkFacts, LinkForm } from "../../features/link/form.tsx";
import { Steps } from "../../features/start/steps.tsx";
import { linkMessages } from "../../i18n/en/link.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Plain } from "../../shell/plain-page.tsx";
import { Link } from "../../ui/button.tsx";
import { When } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";

/** See above. */
export function LinkPage() {
  const t = useMessages(linkMessages);
  const token = useParam("token");
  const link = useApiQuery("get /links/{token}", { params: { token } });
  if (link.data !== undefined) return <OpenLink token={token} link={link.data} />;
  const isUsed = isApiError(link.error, "already_used");
  const isGone = isUsed || isApiError(link.error, "not_found");
  const title = isUsed ? t("usedTitle") : t("goneTitle");
  return (
    <Plain title={isGone ? title : "Plaza"}>
      {link.error === null && <Skeleton className="h-40 w-full" />}
      {link.error !== null && !isGone && (
        <ErrorState error={link.error} onRetry={() => void link.refetch()} />
      )}
      {isGone && (
        <EmptyState
          icon={<LinkIcon />}
          title={isUsed ? t("usedText") : t("goneText")}
          action={
            <Link to="/sign-in" variant="primary">
              {t("signIn")}
            </Link>
          }
        />
      )}
    </Plain>
  );
}

function OpenLink({ token, link }: { readonly token: string; readonly link: LinkFacts }) {
  const t = useMessages(linkMessages);
  const titles = {
    setup: t("setup.title"),
    invitation:
      link.accountName === null
        ? t("invitation.titleOperator")
        : t("invitation.title", { account: link.accountName }),
    reset: t("reset.title"),
  };
  const invited =
    link.role === null
      ? t("invitation.leadOperator")
      : link.role === "owner"
        ? t("invitation.leadOwner")
        : t("invitation.leadMember");
  const leads = { setup: t("setup.lead"), invitation: invited, reset: t("reset.lead") };
  return (
    <Plain
      title={titles[link.kind]}
      lead={
        <>
          {link.kind === "setup" && <Steps at={1} />}
          <p>{leads[link.kind]}</p>
        </>
      }
    >
      <LinkForm token={token} link={link} />
      <p className="text-center text-small text-muted">
        {t("expires")} <When at={link.expiresAt} as="exact" />
      </p>
    </Plain>
  );
}
