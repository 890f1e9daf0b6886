/**
 * What the dashboard of Plaza for Grafana shows: its rows and panels. A panel's queries name metrics of
 * docs/operate/operations.md only; a test compares them with what a process shows.
 */

type Unit = "reqps" | "s" | "percentunit" | "currencyUSD" | "bytes" | "short" | "cps";

interface Query {
  readonly expr: string;
  /** The series' name; `{{label}}` is filled in by Grafana. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** What it means, and from when on it is bad. */
  readonly about: string;
  /** One large number instead of a line. */
  readonly isNumber?: true;
  /** Series are put on top of each other. */
  readonly isStacked?: true;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const window = "[$__rate_interval]";
/** Only the chosen instances and models. */
const chosen = 'instance=~"$instance"';
const ofModel = 'instance=~"$instance", model=~"$model"';

const rate = (metric: string, labels: string, by = ""): string =>
  `sum${by === "" ? "" : ` by (${by})`}(rate(${metric}{${labels}}${window}))`;
const quantile = (q: number, metric: string, labels: string, by = ""): string =>
  `histogram_quantile(${q}, ${rate(`${metric}_bucket`, labels, by === "" ? "le" : `le, ${by}`)})`;

export const requests = "plaza_requests_total";

export const rows: readonly Row[] = [
  {
    title: "At a glance",
    panels: [
      {
        title: "Calls",
        unit: "reqps",
        isNumber: true,
        about: "All calls, refused ones too.",
        queries: [{ expr: rate(requests, ofModel), legend: "calls" }],
      },
      {
        title: "Server errors",
        unit: "percentunit",
        isNumber: true,
        about: "Share of calls that end with a status of 500 or more. Above 2 % is the alarm PlazaErrors.",
        queries: [
          {
            expr: `(${rate(requests, `${ofModel}, status=~"5.."`)} or vector(0)) / ${rate(requests, ofModel)}`,
            legend: "5xx",
          },
        ],
      },
      {
        title: "First token, p95",
        unit: "s",
        isNumber: true,
        about: "From authentication to the first content of a stream.",
        queries: [
          { expr: quantile(0.95, "gen_ai_server_time_to_first_token_seconds", chosen), legend: "p95" },
        ],
      },
      {
        title: "Charged in the last hour",
        unit: "currencyUSD",
        isNumber: true,
        about: "What accounts paid.",
        queries: [{ expr: `sum(increase(plaza_charges_usd_total{${ofModel}}[1h]))`, legend: "USD" }],
      },
      {
        title: "Database",
        unit: "short",
        isNumber: true,
        about:
          "0: everything is recorded. 1: the database does not answer, or the journal holds what it lacks.",
        queries: [{ expr: `max(plaza_store_behind{${chosen}})`, legend: "behind" }],
      },
      {
        title: "Overloaded processes",
        unit: "short",
        isNumber: true,
        about: "Processes that refuse calls because they are full.",
        queries: [{ expr: `sum(plaza_overloaded{${chosen}})`, legend: "processes" }],
      },
    ],
  },
  {
    title: "Calls",
    panels: [
      {
        title: "Calls by model",
        unit: "reqps",
        isStacked: true,
        about: "All calls, refused ones too.",
        queries: [{ expr: rate(requests, ofModel, "model"), legend: "{{model}}" }],
      },
      {
        title: "Calls by how they ended",
        unit: "reqps",
        isStacked: true,
        about: "Incomplete: cut after content. Aborted: the caller disconnected.",
        queries: [{ expr: rate(requests, ofModel, "state"), legend: "{{state}}" }],
      },
      {
        title: "Errors by code",
        unit: "reqps",
        isStacked: true,
        about: "docs/call/errors.md says what each code means.",
        queries: [{ expr: rate(requests, `${ofModel}, error!=""`, "error"), legend: "{{error}}" }],
      },
      {
        title: "Calls by path",
        unit: "reqps",
        isStacked: true,
        about: "Which format the clients speak.",
        queries: [
          { expr: rate("plaza_endpoint_requests_total", chosen, "endpoint"), legend: "{{endpoint}}" },
        ],
      },
    ],
  },
  {
    title: "Time",
    panels: [
      {
        title: "First token",
        unit: "s",
        about: "From authentication to the first content of a stream.",
        queries: [0.5, 0.95, 0.99].map((q) => ({
          expr: quantile(q, "gen_ai_server_time_to_first_token_seconds", chosen),
          legend: `p${q * 100}`,
        })),
      },
      {
        title: "Whole calls",
        unit: "s",
        about: "Duration of complete calls, retries included.",
        queries: [0.5, 0.95, 0.99].map((q) => ({
          expr: quantile(q, "gen_ai_client_operation_duration_seconds", chosen),
          legend: `p${q * 100}`,
        })),
      },
      {
        title: "Time in Plaza",
        unit: "s",
        about:
          "Overhead: before the first upstream call, and from the answer's end until it was settled. Settle: its part that waited for the database.",
        queries: [
          { expr: quantile(0.5, "plaza_overhead_seconds", chosen), legend: "overhead p50" },
          { expr: quantile(0.99, "plaza_overhead_seconds", chosen), legend: "overhead p99" },
          { expr: quantile(0.99, "plaza_settle_seconds", chosen), legend: "settle p99" },
        ],
      },
      {
        title: "Event loop lag",
        unit: "s",
        about: "How late the event loop was. From 10 ms on the process accepts fewer calls at once.",
        queries: [
          {
            expr: `max by (instance, quantile) (plaza_loop_lag_seconds{${chosen}})`,
            legend: "{{instance}} {{quantile}}",
          },
        ],
      },
    ],
  },
  {
    title: "Money",
    panels: [
      {
        title: "Charged per hour, by model",
        unit: "currencyUSD",
        isStacked: true,
        about: "What accounts paid, exact.",
        queries: [
          {
            expr: `sum by (model) (rate(plaza_charges_usd_total{${ofModel}}${window})) * 3600`,
            legend: "{{model}}",
          },
        ],
      },
      {
        title: "Costs per hour, by upstream",
        unit: "currencyUSD",
        isStacked: true,
        about: "What upstreams bill, where the catalog says.",
        queries: [
          {
            expr: `sum by (upstream) (rate(plaza_costs_usd_total{${chosen}}${window})) * 3600`,
            legend: "{{upstream}}",
          },
        ],
      },
      {
        title: "Tokens",
        unit: "cps",
        isStacked: true,
        about: "Tokens a second by class; the classes are disjoint.",
        queries: [{ expr: rate("plaza_tokens_total", ofModel, "class"), legend: "{{class}}" }],
      },
      {
        title: "Charged by estimate",
        unit: "reqps",
        about: "Answers without usage of the upstream's own, by upstream.",
        queries: [{ expr: rate("plaza_usage_estimated_total", chosen, "upstream"), legend: "{{upstream}}" }],
      },
    ],
  },
  {
    title: "Upstreams",
    panels: [
      {
        title: "Attempts by outcome",
        unit: "reqps",
        isStacked: true,
        about: "Calls of upstreams: answered, or the kind of fault.",
        queries: [
          {
            expr: rate("plaza_attempts_total", chosen, "upstream, outcome"),
            legend: "{{upstream}} {{outcome}}",
          },
        ],
      },
      {
        title: "Further attempts",
        unit: "reqps",
        about: "Retries of the same deployment, fallbacks to another, hedged calls.",
        queries: [
          { expr: rate("plaza_retries_total", chosen), legend: "retries" },
          { expr: rate("plaza_fallbacks_total", chosen), legend: "fallbacks" },
          { expr: rate("plaza_hedges_total", chosen), legend: "hedges" },
        ],
      },
      {
        title: "Deployments that get no calls",
        unit: "short",
        about: "Ejected because they fail, or resting because they asked for it.",
        queries: [
          {
            expr: `max by (upstream, upstream_model, state) (plaza_deployment_state{${chosen}, state=~"ejected|resting"}) == 1`,
            legend: "{{upstream}} {{upstream_model}} {{state}}",
          },
        ],
      },
      {
        title: "Calls in progress",
        unit: "short",
        isStacked: true,
        about: "By upstream.",
        queries: [
          { expr: `sum by (upstream) (plaza_upstream_in_flight{${chosen}})`, legend: "{{upstream}}" },
        ],
      },
    ],
  },
  {
    title: "Limits and load",
    panels: [
      {
        title: "Refused by a limit",
        unit: "reqps",
        isStacked: true,
        about: "429s: whose limit it was, and of what.",
        queries: [
          { expr: rate("plaza_limit_refusals_total", chosen, "scope, kind"), legend: "{{scope}} {{kind}}" },
        ],
      },
      {
        title: "Refused by overload",
        unit: "reqps",
        isStacked: true,
        about: "503s: what was full.",
        queries: [{ expr: rate("plaza_overload_refusals_total", chosen, "reason"), legend: "{{reason}}" }],
      },
      {
        title: "Calls in flight",
        unit: "short",
        about: "Beside how many each process accepts.",
        queries: [
          { expr: `sum(plaza_in_flight{${chosen}})`, legend: "in flight" },
          { expr: `sum(plaza_in_flight_limit{${chosen}})`, legend: "accepted" },
        ],
      },
      {
        title: "Connections",
        unit: "short",
        isStacked: true,
        about: "Of callers.",
        queries: [{ expr: `sum by (state) (plaza_connections{${chosen}})`, legend: "{{state}}" }],
      },
    ],
  },
  {
    title: "Machine",
    panels: [
      {
        title: "CPU",
        unit: "percentunit",
        about: "1 is one core.",
        queries: [{ expr: rate("process_cpu_seconds_total", chosen, "instance"), legend: "{{instance}}" }],
      },
      {
        title: "Memory",
        unit: "bytes",
        about: "Resident memory of each process.",
        queries: [
          { expr: `sum by (instance) (process_resident_memory_bytes{${chosen}})`, legend: "{{instance}}" },
        ],
      },
      {
        title: "Storage",
        unit: "bytes",
        about: "Size of the database, of SQLite's log, and what waits in journals.",
        queries: [
          { expr: `max(plaza_database_bytes{${chosen}})`, legend: "database" },
          { expr: `max(plaza_database_wal_bytes{${chosen}})`, legend: "log" },
          { expr: `sum(plaza_journal_bytes{${chosen}})`, legend: "journal" },
          { expr: `min(plaza_disk_free_bytes{${chosen}})`, legend: "free on disk" },
        ],
      },
      {
        title: "Warnings and errors in the log",
        unit: "cps",
        isStacked: true,
        about: "docs/operate/operations.md says what each event means.",
        queries: [
          { expr: rate("plaza_log_events_total", chosen, "level, event"), legend: "{{level}} {{event}}" },
        ],
      },
    ],
  },
];
