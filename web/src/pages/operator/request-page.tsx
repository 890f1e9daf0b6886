/** One request of any account, with the upstreams that were tried and what they bill. */
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { RequestDetail } from "../../features/requests/detail.tsx";
import { ReplayActs } from "../../features/requests/replay-acts.tsx";
import { formatCount } from "../../format/count.ts";
import { operatorRequestsMessages } from "../../i18n/en/pages/operator-requests.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { Money } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Facts, PageHeader } from "../../ui/surfaces.tsx";

type Detail = Answer<"get /operator/requests/{id}">;
type Attempt = Detail["attemptList"][number];

const upstreamPage = (id: string) => `/operator/upstreams/${encodeURIComponent(id)}`;

/** See above. */
export function OperatorRequestPage() {
  const t = useMessages(operatorRequestsMessages);
  const id = useParam("id");
  const { account } = useSession();
  const request = useApiQuery("get /operator/requests/{id}", { params: { id } });
  return (
    <>
      <PageHeader
        title={t("requestTitle", { id })}
        shown={<span className="font-mono text-figure break-all">{id}</span>}
        back={{ to: "/operator/requests", label: t("back") }}
        actions={
          request.data !== undefined && (
            <ReplayActs request={request.data} isOwnKey={request.data.accountId === account?.id} />
          )
        }
      />
      <Loaded query={request}>{(found) => <DetailView request={found} />}</Loaded>
    </>
  );
}

function DetailView({ request }: { readonly request: Detail }) {
  const t = useMessages(operatorRequestsMessages);
  const { upstream } = request;
  return (
    <RequestDetail
      request={request}
      facts={[
        [
          t("account"),
          <Link key="account" to={`/operator/accounts/${encodeURIComponent(request.accountId)}`}>
            <bdi>{request.accountName ?? t("noAccount")}</bdi>
          </Link>,
        ],
        [
          t("upstream"),
          upstream === null ? (
            <span key="none" className="text-faint">
              {t("noUpstream")}
            </span>
          ) : (
            <span key="upstream">
              <Link to={upstreamPage(upstream)}>{upstream}</Link>
              {request.upstreamModel !== null && (
                <span className="block text-small text-muted">{request.upstreamModel}</span>
              )}
            </span>
          ),
        ],
      ]}
      cost={
        <Facts
          rows={[
            [
              <span key="cost" title={t("costText")}>
                {t("cost")}
              </span>,
              <Money key="value" value={request.cost} exact />,
            ],
          ]}
        />
      }
      attemptExtra={(attempt: Attempt) => <AttemptExtra attempt={attempt} />}
    />
  );
}

function AttemptExtra({ attempt }: { readonly attempt: Attempt }) {
  const t = useMessages(operatorRequestsMessages);
  const language = useLanguage();
  const { usage } = attempt;
  return (
    <span className="flex flex-wrap gap-x-3 text-small text-muted">
      <span>
        <Link to={upstreamPage(attempt.upstream)}>
          {attempt.upstream} · {attempt.upstreamModel}
        </Link>
      </span>
      <span>
        {t("cost")} <Money value={attempt.cost} />
      </span>
      {usage !== null && (
        <span>
          {t(attempt.isBound ? "tokensAtMost" : "tokensThere", {
            input: formatCount(usage.input, language),
            output: formatCount(usage.output, language),
          })}
        </span>
      )}
    </span>
  );
}
