/** What a one-time link opens: the set-up of the installation, an invitation, a new password. */
import { LinkIcon } from "lucide-react";
import { isApiError } from "../../api/error.ts";
import { useAnswer } from "../../api/queries.ts";
import { linkWords } from "../../i18n/en/link.ts";
import { useWords } from "../../i18n/words.ts";
import { Link } from "../../ui/button.tsx";
import { When } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { Plain } from "../plain-page.tsx";
import { Steps } from "../start/steps.tsx";
import { type LinkFacts, LinkForm } from "./form.tsx";

/** See above. */
export function LinkPage() {
  const say = useWords(linkWords);
  const token = useParam("token");
  const link = useAnswer("get /links/{token}", { params: { token } });
  if (link.data !== undefined) return <OpenLink token={token} link={link.data} />;
  const isUsed = isApiError(link.error, "already_used");
  const isGone = isUsed || isApiError(link.error, "not_found");
  const title = isUsed ? say("usedTitle") : say("goneTitle");
  return (
    <Plain title={isGone ? title : "Plaza"}>
      {link.error === null && <Skeleton className="h-40 w-full" />}
      {link.error !== null && !isGone && (
        <ErrorState error={link.error} onRetry={() => void link.refetch()} />
      )}
      {isGone && (
        <EmptyState
          icon={<LinkIcon />}
          title={isUsed ? say("usedText") : say("goneText")}
          action={
            <Link to="/sign-in" look="primary">
              {say("signIn")}
            </Link>
          }
        />
      )}
    </Plain>
  );
}

function OpenLink({ token, link }: { readonly token: string; readonly link: LinkFacts }) {
  const say = useWords(linkWords);
  const titles = {
    setup: say("setup.title"),
    invitation:
      link.accountName === null
        ? say("invitation.titleOperator")
        : say("invitation.title", { account: link.accountName }),
    reset: say("reset.title"),
  };
  const invited =
    link.role === null
      ? say("invitation.leadOperator")
      : link.role === "owner"
        ? say("invitation.leadOwner")
        : say("invitation.leadMember");
  const leads = { setup: say("setup.lead"), invitation: invited, reset: say("reset.lead") };
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
      <p className="text-center text-[0.87rem] text-muted">
        {say("expires")} <When at={link.expiresAt} as="exact" />
      </p>
    </Plain>
  );
}
