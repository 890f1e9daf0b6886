/** The ledger's self-check: a button, whether it runs, what the last one said, and those before it. */
import { ShieldCheck } from "lucide-react";
import { useMemo, useState } from "react";
import { useApiMutation, useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, Money, TokenCount, When } from "../../ui/figures.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { ErrorNote, Loaded } from "../../ui/states.tsx";
import { Card, Facts, StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import { wordOr } from "./fault-text.tsx";

type Check = Answer<"get /operator/ledger-checks">["checks"][number];
type Report = NonNullable<Check["report"]>;
type Finding = Report["findings"][number];

const tones: Record<Check["status"], Tone> = { running: "accent", ok: "good", wrong: "bad", failed: "warn" };

function CheckState({ check }: { readonly check: Check }) {
  const t = useMessages(operatorHealthMessages);
  return <StatusBadge tone={tones[check.status]}>{t(`check.${check.status}`)}</StatusBadge>;
}

function CheckLine({ check }: { readonly check: Check }) {
  const t = useMessages(operatorHealthMessages);
  const tookMs = check.endedAt === null ? null : Date.parse(check.endedAt) - Date.parse(check.startedAt);
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <CheckState check={check} />
      <span className="text-muted">
        <When at={check.startedAt} as="exact" />
        {tookMs !== null && (
          <>
            {", "}
            {t("took")} <Duration ms={tookMs} />
          </>
        )}
        {check.startedBy !== null && `, ${t("by")} ${check.startedBy}`}
      </span>
    </span>
  );
}

function FindingList({ report }: { readonly report: Report }) {
  const t = useMessages(operatorHealthMessages);
  const language = useLanguage();
  const columns = useMemo(
    (): Column<Finding>[] => [
      {
        id: "what",
        header: t("findingWhat"),
        cell: ({ what }) => wordOr(t, `finding.${what}`, what),
      },
      {
        id: "subject",
        header: t("findingSubject"),
        cell: ({ subject }) => <span className="font-mono text-[0.9em]">{subject}</span>,
      },
      {
        id: "text",
        header: t("findingText"),
        cell: ({ text, id, params }) => serverText(text, language, id === undefined ? null : { id, params }),
      },
    ],
    [t, language],
  );
  if (report.findings.length === 0) return null;
  return (
    <div className="mt-4 rounded-lg border border-line">
      <DataTable
        label={t("findings")}
        columns={columns}
        rows={report.findings}
        rowId={(finding) => `${finding.what}\n${finding.subject}\n${finding.text}`}
      />
      {report.moreFindings > 0 && (
        <p className="px-5 py-2 text-muted">{t("moreFindings", { count: report.moreFindings })}</p>
      )}
    </div>
  );
}

function ReportFacts({ report }: { readonly report: Report }) {
  const t = useMessages(operatorHealthMessages);
  return (
    <div className="mt-4 grid gap-x-10 gap-y-2 sm:grid-cols-2">
      <Facts
        rows={[
          [t("totalBalance"), <Money key="b" value={report.totals.balance} exact />],
          [t("totalCredited"), <Money key="c" value={report.totals.credited} exact />],
          [t("totalCharged"), <Money key="h" value={report.totals.charged} exact />],
          [t("totalLost"), <Money key="l" value={report.totals.lost} exact />],
          [t("totalLeased"), <Money key="e" value={report.totals.leased} exact />],
        ]}
      />
      <Facts
        rows={[
          [t("checkedAccounts"), <TokenCount key="a" value={report.accounts} exact />],
          [t("checkedEntries"), <TokenCount key="e" value={report.entries} exact />],
          [t("checkedRequests"), <TokenCount key="r" value={report.requests} exact />],
          [t("checkedLeases"), <TokenCount key="l" value={report.leases} exact />],
        ]}
      />
    </div>
  );
}

/** `check` is the last one, as health has it. */
export function LedgerCard({ check }: { readonly check: Check | null }) {
  const t = useMessages(operatorHealthMessages);
  const start = useApiMutation("post /operator/ledger-checks");
  const isRunning = check?.status === "running";
  const run = () => start.mutate({}, { onSuccess: () => toast(t("checkStarted")) });
  return (
    <Card
      title={t("ledger")}
      action={
        <Button
          busy={start.isPending || isRunning}
          icon={<ShieldCheck aria-hidden className="size-4" />}
          onClick={run}
        >
          {t(isRunning ? "checking" : "runCheck")}
        </Button>
      }
    >
      <p className="max-w-3xl text-muted">{t("ledgerText")}</p>
      {start.error !== null && <ErrorNote error={start.error} className="mt-3" />}
      <div className="mt-4 flex flex-wrap gap-x-3" aria-live="polite">
        <span className="font-medium">{t("lastRun")}</span>
        {check === null ? (
          <span className="text-faint">{t("neverChecked")}</span>
        ) : (
          <CheckLine check={check} />
        )}
      </div>
      {check?.report != null && (
        <>
          <FindingList report={check.report} />
          <ReportFacts report={check.report} />
        </>
      )}
      {check !== null && <EarlierChecks lastId={check.id} />}
    </Card>
  );
}

function EarlierChecks({ lastId }: { readonly lastId: string }) {
  const t = useMessages(operatorHealthMessages);
  const [isOpen, setOpen] = useState(false);
  const checks = useApiQuery("get /operator/ledger-checks", { query: { limit: 20 } }, { enabled: isOpen });
  return (
    <details className="mt-4" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit text-accent">{t("earlier")}</summary>
      {isOpen && (
        <div className="mt-2">
          <Loaded query={checks}>
            {(answer) => {
              const earlier = answer.checks.filter(({ id }) => id !== lastId);
              if (earlier.length === 0) return <p className="text-faint">–</p>;
              return (
                <ul className="flex flex-col gap-1">
                  {earlier.map((one) => (
                    <li key={one.id}>
                      <CheckLine check={one} />
                    </li>
                  ))}
                </ul>
              );
            }}
          </Loaded>
        </div>
      )}
    </details>
  );
}
