/**
 * Everything about one request; the operator's page adds facts, costs and what
 * it knows of attempts. Knows no route.
 */
import { errorTexts } from "@plaza/contract/messages/en/error.ts";
import type { ReactNode } from "react";
import type { Answer } from "../../api/routes.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { Link } from "../../ui/button.tsx";
import { Copyable } from "../../ui/code.tsx";
import { Duration, When } from "../../ui/figures.tsx";
import { Card, Facts } from "../../ui/surfaces.tsx";
import { type Attempt, AttemptsCard } from "./attempts-card.tsx";
import { MaybeDuration, RequestStateBadge } from "./cells.tsx";
import { ChargeCard } from "./charge-card.tsx";
import { TimelineCard } from "./timeline-card.tsx";

type Detail = Answer<"get /requests/{id}">;

export interface RequestDetailProps<Row extends Attempt> {
  /** The account's or the operator's; the latter has more. */
  readonly request: Omit<Detail, "attemptList"> & { readonly attemptList: readonly Row[] };
  /** The page of its key; undefined: the key is not linked. */
  readonly keyTo?: string | undefined;
  /** Further facts: account, upstream. */
  readonly facts?: readonly (readonly [label: ReactNode, value: ReactNode])[];
  /** Below the charge: what upstreams bill. */
  readonly cost?: ReactNode;
  /** Below each attempt: upstream, cost. */
  readonly attemptExtra?: (attempt: Row) => ReactNode;
}

/** See `RequestDetailProps`. */
export function RequestDetail<Row extends Attempt>(props: RequestDetailProps<Row>) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <div className="min-w-0 xl:col-span-2">
        <TimelineCard request={props.request} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <FactsCard {...props} />
        <AttemptsCard attempts={props.request.attemptList} extra={props.attemptExtra} />
      </div>
      <ChargeCard request={{ ...props.request, attemptList: [] }}>{props.cost}</ChargeCard>
    </div>
  );
}

/** A code, and its meaning if it is a Plaza code. */
function ErrorMeaning({ code }: { readonly code: string }) {
  const language = useLanguage();
  const id = `error.${code}`;
  const isOurs = Object.hasOwn(errorTexts, id);
  return (
    <span>
      <code className="font-mono text-[0.9em]">{code}</code>
      {isOurs && (
        <span className="block text-muted">
          {serverText(errorTexts[id as keyof typeof errorTexts], language, { id })}
        </span>
      )}
    </span>
  );
}

function FactsCard<Row extends Attempt>({ request, keyTo, facts = [] }: RequestDetailProps<Row>) {
  const t = useMessages(requestsMessages);
  const tOperation = useMessages(operationMessages);
  const key = <bdi>{request.keyName ?? t("keyGone")}</bdi>;
  return (
    <Card title={t("request")}>
      <Facts
        rows={[
          [t("id"), <Copyable key="id" text={request.id} />],
          [t("started"), <When key="at" at={request.createdAt} as="exact" />],
          [
            t("result"),
            <span key="state">
              <RequestStateBadge state={request.state} />
              <span className="block text-muted">{t(`means.${request.state}`)}</span>
            </span>,
          ],
          [
            t("httpStatus"),
            <span key="status" className="figures">
              {request.status}
            </span>,
          ],
          ...(request.errorCode === null
            ? []
            : [[t("errorCode"), <ErrorMeaning key="error" code={request.errorCode} />] as const]),
          [
            t("model"),
            request.model === null ? (
              <span key="none" className="text-faint">
                {t("noModel")}
              </span>
            ) : (
              <Link key="model" to={`/models/${encodeURIComponent(request.model)}`}>
                <bdi>{request.model}</bdi>
              </Link>
            ),
          ],
          [tOperation("operation"), tOperation(`operation.${request.operation}`)],
          [
            t("key"),
            keyTo === undefined ? (
              key
            ) : (
              <Link key="key" to={keyTo}>
                {key}
              </Link>
            ),
          ],
          ...facts,
          [t("kind"), request.isStream ? t("stream") : t("whole")],
          [t("firstToken"), <MaybeDuration key="first" ms={request.firstTokenMs} />],
          [t("duration"), <Duration key="duration" ms={request.durationMs} />],
        ]}
      />
    </Card>
  );
}
