/** Repeats a request: as a call to paste, or in the playground. Knows no page. */
import { MessageSquareText } from "lucide-react";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { curlOf, playgroundLink, type ReplayedRequest } from "./replay.ts";

interface ReplayActsProps {
  readonly request: ReplayedRequest;
  /** The request's key belongs to this session's account. */
  readonly isOwnKey: boolean;
}

/** What can be done with this request; nothing when its operation cannot be repeated. */
export function ReplayActs({ request, isOwnKey }: ReplayActsProps) {
  const t = useMessages(requestsMessages);
  const { account, installation } = useSession();
  const curl = curlOf(request, installation.baseUrl, { prompt: t("replayPrompt"), note: t("replayNote") });
  const link = account === null ? undefined : playgroundLink(request, isOwnKey);
  return (
    <>
      {curl !== undefined && (
        <CopyButton text={curl} size="normal">
          {t("copyCurl")}
        </CopyButton>
      )}
      {link !== undefined && (
        <Link to={link} variant="plain" icon={<MessageSquareText aria-hidden className="size-4" />}>
          {t("replay")}
        </Link>
      )}
    </>
  );
}
