/** The table of a comparison of several gateways: one column each, with its switches and its failures. */
import { median, spread } from "../measure/statistics.ts";
import { type Contestant, type PeerResults, streamsFor } from "../peers/peer-rounds.ts";
import { type GatewayName, type Metric, type PeerCase, type Reading, valuesOf } from "./reading.ts";
import { formatFigure, layOut } from "./report.ts";

/** Chunks that come late are combined and cost less each; percent of the pace. */
const paceTolerancePercent = 5;
const noteCharsMax = 300;

interface Row {
  readonly label: string;
  readonly case: PeerCase;
  readonly metric: Metric;
  /** `added`: minus the direct call's. `ratio`: a second line divides by nginx's. */
  readonly compared?: "added" | "ratio";
}

const rows: readonly Row[] = [
  { label: "1 KB JSON: CPU, us/request", case: "json1k", metric: "cpuPerRequestUs", compared: "ratio" },
  { label: "1 KB JSON: requests/s", case: "json1k", metric: "requestsPerSecond" },
  { label: "100 KB JSON: CPU, us/request", case: "json100k", metric: "cpuPerRequestUs", compared: "ratio" },
  { label: "100 KB JSON: requests/s", case: "json100k", metric: "requestsPerSecond" },
  { label: "stream: CPU, us/chunk", case: "stream", metric: "cpuPerChunkUs", compared: "ratio" },
  { label: "first token, p50, ms", case: "first-token", metric: "firstTokenP50Ms", compared: "added" },
  { label: "first token, p99, ms", case: "first-token", metric: "firstTokenP99Ms", compared: "added" },
  { label: "memory rested, MB", case: "memory", metric: "restPssMib" },
  { label: "memory after 1 KB load, MB", case: "memory", metric: "loadedPssMib" },
  { label: "memory per stream, KB", case: "memory", metric: "kibPerStream" },
];

/** Collects footnotes; the same text keeps its number. */
class Footnotes {
  readonly texts: string[] = [];

  /** The mark of a note, `[1]`. */
  mark(text: string): string {
    const known = this.texts.indexOf(text);
    if (known < 0) this.texts.push(text);
    return `[${known < 0 ? this.texts.length : known + 1}]`;
  }
}

/** The name in the table's heading. */
function titleOf(name: GatewayName): string {
  return name === "direct" ? "direct (no gateway)" : name.replace(/^peer /, "");
}

/** Prints the table of one run. */
class PeerTable {
  readonly notes = new Footnotes();
  readonly #results: PeerResults;
  readonly #contestants: readonly Contestant[];
  readonly #streams: number;

  constructor(results: PeerResults, contestants: readonly Contestant[], streams: number) {
    this.#results = results;
    this.#contestants = contestants;
    this.#streams = streams;
  }

  lines(cases: readonly PeerCase[]): string[][] {
    const each = (cell: (contestant: Contestant) => string) => this.#contestants.map(cell);
    const lines = [["", ...each(({ name }) => titleOf(name))]];
    for (const name of ["auth", "limits", "ledger"] as const) {
      lines.push([name, ...each(({ switches }) => switches?.[name] ?? "-")]);
    }
    const has = (row: Row) =>
      cases.includes(row.case) && (row.metric !== "loadedPssMib" || cases.includes("json1k"));
    for (const row of rows.filter(has)) {
      if (row.case === "stream") lines.push(["stream: open streams", ...each((one) => this.#streamsOf(one))]);
      lines.push([row.label, ...each((one) => this.#cell(row, one))]);
      if (row.compared === "ratio") lines.push(["    beside nginx", ...each((one) => this.#ratio(row, one))]);
    }
    lines.push(["other work, most % of a core", ...each(({ name }) => this.#otherWork(name))]);
    return lines;
  }

  #values(row: Pick<Row, "case" | "metric">, gateway: GatewayName): number[] {
    return valuesOf(this.#results.readings, { case: row.case, metric: row.metric, gateway });
  }

  #streamsOf(contestant: Contestant): string {
    return contestant.name === "direct" ? "-" : String(streamsFor(contestant, this.#streams));
  }

  #cell(row: Row, { name }: Contestant): string {
    const values = this.#values(row, name);
    if (values.length === 0) return this.#failure(row, name);
    const direct = this.#values(row, "direct");
    const isAdded = row.compared === "added" && name !== "direct" && direct.length === values.length;
    const shown = isAdded ? values.map((value, round) => value - (direct[round] ?? 0)) : values;
    const { min, max, count } = spread(shown);
    const middle = isAdded ? median(values) - median(direct) : median(shown);
    const range = count === 1 ? "" : ` [${formatFigure(min)}-${formatFigure(max)}]`;
    return `${isAdded && middle >= 0 ? "+" : ""}${formatFigure(middle)}${range}${this.#doubts(row, name)}`;
  }

  /** Marks of what makes a figure doubtful. */
  #doubts(row: Row, gateway: GatewayName): string {
    if (row.compared !== "ratio") return "";
    const unsettled = this.#results.notes.find(
      (note) => note.kind === "unsettled" && note.gateway === gateway && note.case === row.case,
    );
    const marks = unsettled === undefined ? [] : [this.notes.mark(unsettled.text)];
    const kept =
      row.case === "stream" ? this.#values({ case: "stream", metric: "paceKeptPercent" }, gateway) : [];
    if (kept.length > 0 && Math.abs(median(kept) - 100) > paceTolerancePercent) {
      const text = `${titleOf(gateway)} kept ${Math.round(median(kept))} % of the streams' pace: its chunks came several at once, which makes each look cheap`;
      marks.push(this.notes.mark(text));
    }
    return marks.length === 0 ? "" : ` ${marks.join(" ")}`;
  }

  #failure(row: Row, gateway: GatewayName): string {
    const wanted = row.metric === "loadedPssMib" ? "json1k" : row.case;
    const note = this.#results.notes.find(
      ({ kind, gateway: of, case: name }) =>
        kind === "failed" && of === gateway && (name === undefined || name === wanted),
    );
    if (note === undefined) return "-";
    const where = note.case === undefined ? "did not start" : `failed in ${note.case}`;
    const text = note.text.replaceAll(/\s*\n\s*/g, " | ").slice(0, noteCharsMax);
    return `FAILED ${this.notes.mark(`${titleOf(gateway)} ${where}: ${text}`)}`;
  }

  #ratio(row: Row, { name }: Contestant): string {
    const ours = this.#values(row, name);
    const nginx = this.#values(row, "nginx");
    if (ours.length === 0 || nginx.length === 0) return "-";
    return `x${formatFigure(median(ours) / median(nginx))}`;
  }

  #otherWork(gateway: GatewayName): string {
    const isOf = (reading: Reading) => reading.gateway === gateway && reading.metric === "foreignCpuPercent";
    const values = this.#results.readings.filter(isOf).map(({ value }) => value);
    return values.length === 0 ? "-" : Math.max(...values).toFixed(0);
  }
}

/**
 * The table with its footnotes: a column for each gateway, failed ones too, their switches first.
 * @param streams open streams of those that have no limit of their own.
 */
export function peersTable(
  results: PeerResults,
  contestants: readonly Contestant[],
  cases: readonly PeerCase[],
  streams: number,
): string {
  const table = new PeerTable(results, contestants, streams);
  const text = layOut(table.lines(cases));
  return [text, ...table.notes.texts.map((note, index) => `[${index + 1}] ${note}`)].join("\n");
}
