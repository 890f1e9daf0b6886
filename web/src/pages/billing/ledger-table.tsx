/**
 * A ledger with its running balance; rows come from `usePages`, for the account's own
 * and for the operator's. Knows no route.
 */
import { useMemo } from "react";
import type { Pages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { billingWords } from "../../i18n/en/pages/billing.ts";
import { serverText } from "../../i18n/server-text.ts";
import { type KeyOf, type Say, useLanguage, useWords } from "../../i18n/words.ts";
import { Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Money, When } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Badge, type Tone } from "../../ui/surfaces.tsx";
import { RequestTime } from "../requests/cells.tsx";

/** A line of a ledger. */
export type Entry = Answer<"get /ledger">["entries"][number];

export const entryKinds = ["topup", "charge", "adjustment", "refund", "operator_loss", "expiry"] as const;

const tones: Record<Entry["kind"], Tone> = {
  topup: "good",
  charge: "neutral",
  adjustment: "accent",
  refund: "good",
  operator_loss: "warn",
  expiry: "warn",
};

export interface LedgerTableProps {
  readonly pages: Pages<Entry>;
  /** The page of a request. */
  readonly requestTo: (requestId: string) => string;
  readonly isFiltered?: boolean;
}

function Note({
  entry,
  requestTo,
}: {
  readonly entry: Entry;
  readonly requestTo: LedgerTableProps["requestTo"];
}) {
  const say = useWords(billingWords);
  const language = useLanguage();
  const note = entry.note === null ? null : serverText(entry.note, language, entry.noteMessage);
  return (
    <span className="block max-w-md min-w-0">
      {note !== null && note !== "" && <bdi className="block">{note}</bdi>}
      {entry.requestId !== null && (
        <Link to={requestTo(entry.requestId)} className="font-mono text-[0.87rem]" title={say("request")}>
          {entry.requestId}
        </Link>
      )}
      {entry.reference !== null && entry.reference !== entry.requestId && (
        <bdi className="block text-[0.87rem] text-muted">
          {say("reference", { reference: entry.reference })}
        </bdi>
      )}
      {entry.expiresAt !== null && (
        <span className="block text-[0.87rem] text-muted">
          {say("expires")} <When at={entry.expiresAt} />
        </span>
      )}
    </span>
  );
}

function columnsOf(
  say: Say<KeyOf<typeof billingWords>>,
  requestTo: LedgerTableProps["requestTo"],
): readonly Column<Entry>[] {
  return [
    { id: "date", header: say("date"), cell: (entry) => <RequestTime at={entry.createdAt} /> },
    {
      id: "kind",
      header: say("kind"),
      cell: (entry) => <Badge tone={tones[entry.kind]}>{say(`kind.${entry.kind}`)}</Badge>,
    },
    { id: "note", header: say("note"), cell: (entry) => <Note entry={entry} requestTo={requestTo} /> },
    {
      id: "amount",
      header: say("amount"),
      align: "end",
      cell: (entry) => <Money value={entry.amount} signed />,
    },
    {
      id: "balance",
      header: say("balanceAfter"),
      align: "end",
      cell: (entry) => <Money value={entry.balanceAfter} />,
    },
  ];
}

/** See `LedgerTableProps`. Keep `requestTo` at module level. */
export function LedgerTable({ pages, requestTo, isFiltered = false }: LedgerTableProps) {
  const say = useWords(billingWords);
  const columns = useMemo(() => columnsOf(say, requestTo), [say, requestTo]);
  return (
    <DataTable
      label={say("ledger")}
      columns={columns}
      pages={pages}
      rowId={(entry) => String(entry.id)}
      empty={
        isFiltered ? (
          <EmptyState title={say("noMatches")} />
        ) : (
          <EmptyState title={say("noEntries")}>{say("noEntriesText")}</EmptyState>
        )
      }
    />
  );
}
