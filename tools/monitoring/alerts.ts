/**
 * The alarms of Plaza: `packaging/monitoring/alerts.yaml` for Prometheus and the table in
 * docs/operate/operations.md are made from this list. What to do about each is in that page, below its name.
 */
import { stringify } from "yaml";

interface Alert {
  /** Also the heading in the page. */
  readonly name: string;
  readonly expr: string;
  /** How long it must be true, in Prometheus's words; absent: it is an alarm at once. */
  readonly for?: string;
  /** `page`: wake somebody. `ticket`: look in working hours. */
  readonly severity: "page" | "ticket";
  /** One sentence; `{{ … }}` is filled in by Prometheus. */
  readonly summary: string;
}

const share = (part: string, whole: string): string => `${part} / ${whole}`;
const rate = (metric: string, time: string, by = ""): string =>
  `sum${by === "" ? "" : ` by (${by})`}(rate(${metric}[${time}]))`;

export const alerts: readonly Alert[] = [
  {
    name: "PlazaDown",
    expr: 'up{job="plaza"} == 0 or plaza_process_up == 0',
    for: "1m",
    severity: "page",
    summary: "Plaza at {{ $labels.instance }} does not answer",
  },
  {
    name: "PlazaCredentialOut",
    expr: 'sum by (upstream) (plaza_credentials{state="out"}) > 0',
    for: "1m",
    severity: "page",
    summary: "upstream {{ $labels.upstream }} refuses a credential, or its account is unpaid",
  },
  {
    name: "PlazaDeploymentEjected",
    expr: 'max by (upstream, upstream_model) (plaza_deployment_state{state="ejected"}) == 1',
    for: "5m",
    severity: "ticket",
    summary: "{{ $labels.upstream_model }} at {{ $labels.upstream }} fails and gets no calls",
  },
  {
    name: "PlazaErrors",
    expr: `${share(rate('plaza_requests_total{status=~"5.."}', "5m"), rate("plaza_requests_total", "5m"))} > 0.02`,
    for: "5m",
    severity: "page",
    summary: "{{ $value | humanizePercentage }} of all calls end with a server error",
  },
  {
    name: "PlazaStreamsCut",
    expr: `${rate('plaza_requests_total{state="incomplete"}', "10m")} > 0.1`,
    for: "10m",
    severity: "ticket",
    summary: "streams break off after their first content",
  },
  {
    name: "PlazaStoreBehind",
    expr: "max(plaza_store_behind) == 1",
    for: "1m",
    severity: "page",
    summary: "the database does not answer, or the journal holds what it lacks",
  },
  {
    name: "PlazaStorageFault",
    expr: "max by (fault) (plaza_storage_fault) == 1",
    severity: "page",
    summary: "storage: {{ $labels.fault }}",
  },
  {
    name: "PlazaNotRecorded",
    expr: "sum(increase(plaza_requests_not_recorded_total[5m])) > 0",
    severity: "page",
    summary: "requests were served and could not be recorded",
  },
  {
    name: "PlazaSettleSlow",
    expr: `histogram_quantile(0.99, ${rate("plaza_settle_seconds_bucket", "5m", "le")}) > 0.25`,
    for: "10m",
    severity: "ticket",
    summary: "answers wait {{ $value | humanizeDuration }} for the database's commit",
  },
  {
    name: "PlazaOverloaded",
    expr: `${rate("plaza_overload_refusals_total", "5m")} > 0 or max(plaza_overloaded) == 1`,
    for: "5m",
    severity: "page",
    summary: "calls are refused because processes are full",
  },
  {
    name: "PlazaUsageEstimated",
    expr: `${share(
      rate("plaza_usage_estimated_total", "1h", "upstream"),
      rate('plaza_attempts_total{outcome="answered"}', "1h", "upstream"),
    )} > 0.05`,
    for: "1h",
    severity: "ticket",
    summary:
      "upstream {{ $labels.upstream }} does not report usage for {{ $value | humanizePercentage }} of its answers",
  },
  {
    name: "PlazaThrottled",
    expr: `${share(
      rate('plaza_requests_total{error="rate_limit_exceeded"}', "5m"),
      rate("plaza_requests_total", "5m"),
    )} > 0.05`,
    for: "5m",
    severity: "ticket",
    summary: "{{ $value | humanizePercentage }} of all calls are refused by a limit",
  },
  {
    name: "PlazaAccountsDrained",
    expr: `${share(
      rate('plaza_requests_total{error=~"insufficient_balance|budget_exceeded"}', "15m"),
      rate("plaza_requests_total", "15m"),
    )} > 0.05`,
    for: "15m",
    severity: "ticket",
    summary: "{{ $value | humanizePercentage }} of all calls are refused for lack of balance or budget",
  },
  {
    name: "PlazaSocketsHang",
    expr: `max(plaza_connection_oldest_idle_seconds) > 300 or ${rate("plaza_connections_refused_total", "5m")} > 0`,
    for: "5m",
    severity: "ticket",
    summary: "connections stay open without a request, or are refused",
  },
  {
    name: "PlazaCertificateExpires",
    expr: "min(plaza_tls_certificate_expires_seconds) < 14 * 86400",
    for: "1h",
    severity: "ticket",
    summary: "the certificate that Plaza serves expires in {{ $value | humanizeDuration }}",
  },
  {
    name: "PlazaDescriptorsShort",
    expr: "max(process_open_fds / process_max_fds) > 0.8",
    severity: "page",
    summary: "{{ $value | humanizePercentage }} of the file descriptors are in use",
  },
  {
    name: "PlazaDiskShort",
    expr: "min(plaza_disk_free_bytes) < 1e9",
    severity: "page",
    summary: "{{ $value | humanize1024 }}B are left on the disk of the data directory",
  },
  {
    name: "PlazaMistake",
    expr: 'sum(increase(plaza_log_events_total{event=~"internal_error|uncaught_exception|ledger_journal_row_refused"}[10m])) > 0',
    severity: "ticket",
    summary: "a mistake of Plaza's own: look at the log, and report it",
  },
  {
    name: "PlazaWorkersDie",
    expr: "increase(plaza_worker_deaths_total[15m]) > 2",
    severity: "ticket",
    summary: "workers of {{ $labels.instance }} end again and again",
  },
];

/** Where the page says what to do. */
const runbook = (name: string): string => `docs/operate/operations.md#${name.toLowerCase()}`;

/** The text of packaging/monitoring/alerts.yaml. */
export function alertsFile(): string {
  const rules = alerts.map(({ name, expr, for: time, severity, summary }) => ({
    alert: name,
    expr,
    ...(time === undefined ? {} : { for: time }),
    labels: { severity },
    annotations: { summary, runbook: runbook(name) },
  }));
  const text = stringify({ groups: [{ name: "plaza", rules }] }, { lineWidth: 0 });
  return `# Generated from tools/monitoring/alerts.ts by tools/docs.ts; change it there.\n${text}`;
}

const words = { page: "wakes somebody", ticket: "can wait until morning" } as const;

/** The table of the page: name, when, how urgent. */
export const alertRows = (): string[][] =>
  alerts.map(({ name, expr, for: time, severity }) => [
    `[${name}](#${name.toLowerCase()})`,
    `\`${expr}\`${time === undefined ? "" : ` for ${time}`}`,
    words[severity],
  ]);
