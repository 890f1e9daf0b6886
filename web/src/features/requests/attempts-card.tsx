/** What was tried for a request, in order, with how long each took. Knows no page. */
import type { ReactNode } from "react";
import type { Answer } from "../../api/routes.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { type KeyOf, useMessages } from "../../i18n/messages.ts";
import { Duration } from "../../ui/figures.tsx";
import { Badge, Card, type Tone } from "../../ui/surfaces.tsx";

/** One try; the operator's have more. */
export type Attempt = Answer<"get /requests/{id}">["attemptList"][number];

const tones: Readonly<Record<string, Tone>> = {
  answered: "good",
  caller_left: "neutral",
  superseded: "neutral",
  stopped: "neutral",
  cut: "warn",
  rate_limited: "warn",
  overloaded: "warn",
};

export interface AttemptsCardProps<Row extends Attempt> {
  readonly attempts: readonly Row[];
  /** Further facts of one, as the operator's upstream and cost. */
  readonly extra?: ((attempt: Row) => ReactNode) | undefined;
}

/** See `AttemptsCardProps`. */
export function AttemptsCard<Row extends Attempt>({ attempts, extra }: AttemptsCardProps<Row>) {
  const t = useMessages(requestsMessages);
  return (
    <Card title={t("attempts")}>
      {attempts.length === 0 ? (
        <p className="text-muted">{t("noAttempts")}</p>
      ) : (
        <ol className="flex flex-col gap-4">
          {attempts.map((attempt) => (
            <li key={attempt.number} className="flex min-w-0 flex-col gap-1.5">
              <AttemptHead attempt={attempt} />
              {extra?.(attempt)}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** The word for a result; one this console does not know is itself. */
export function useOutcomeWord(): (outcome: string) => string {
  const t = useMessages(requestsMessages);
  return (outcome) => {
    const key = `outcome.${outcome}` as KeyOf<typeof requestsMessages>;
    return key in requestsMessages.en ? t(key) : outcome;
  };
}

function AttemptHead({ attempt }: { readonly attempt: Attempt }) {
  const t = useMessages(requestsMessages);
  const outcome = useOutcomeWord()(attempt.outcome);
  const faultOf = (kind: string): string => {
    const word = `fault.${kind}` as KeyOf<typeof requestsMessages>;
    return word in requestsMessages.en ? t(word) : kind;
  };
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="figures text-muted">{attempt.number}.</span>
        <Badge tone={tones[attempt.outcome] ?? "bad"}>{outcome}</Badge>
        {attempt.fault !== null && <span className="text-small">{faultOf(attempt.fault)}</span>}
        {attempt.status !== null && (
          <span className="figures text-small text-muted">HTTP {attempt.status}</span>
        )}
        {attempt.model !== null && (
          <span className="text-small text-muted">{t("otherModel", { model: attempt.model })}</span>
        )}
      </span>
      <Duration ms={attempt.durationMs} />
    </div>
  );
}
