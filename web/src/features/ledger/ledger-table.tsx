/**
 * A ledger with its running balance; rows come from `useApiPages`, for the account's own
 * and for the operator's. Knows no route.
 */
import { useMemo } from "react";
import type { Pages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useLanguage } from "../../i18n/language.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
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
  const t = useMessages(billingMessages);
  const language = useLanguage();
  const note = entry.note === null ? null : serverText(entry.note, language, entry.noteMessage);
  return (
    <span className="block max-w-md min-w-0">
      {note !== null && note !== "" && <bdi className="block">{note}</bdi>}
      {entry.requestId !== null && (
        <Link to={requestTo(entry.requestId)} className="font-mono text-small" title={t("request")}>
          {entry.requestId}
        </Link>
      )}
      {entry.reference !== null && entry.reference !== entry.requestId && (
        <bdi className="block text-small text-muted">{t("reference", { reference: entry.reference })}</bdi>
      )}
      {entry.expiresAt !== null && (
        <span className="block text-small text-muted">
          {t("expires")} <When at={entry.expiresAt} />
        </span>
      )}
    </span>
  );
}

function columnsOf(
  t: Translate<KeyOf<typeof billingMessages>>,
  requestTo: LedgerTableProps["requestTo"],
): readonly Column<Entry>[] {
  return [
    { id: "date", header: t("date"), cell: (entry) => <RequestTime at={entry.createdAt} /> },
    {
      id: "kind",
      header: t("kind"),
      cell: (entry) => <Badge tone={tones[entry.kind]}>{t(`kind.${entry.kind}`)}</Badge>,
    },
    { id: "note", header: t("note"), cell: (entry) => <Note entry={entry} requestTo={requestTo} /> },
    {
      id: "amount",
      header: t("amount"),
      align: "end",
      cell: (entry) => <Money value={entry.amount} signed />,
    },
    {
      id: "balance",
      header: t("balanceAfter"),
      align: "end",
      cell: (entry) => <Money value={entry.balanceAfter} />,
    },
  ];
}

/** See `LedgerTableProps`. Keep `requestTo` at module level. */
export function LedgerTable({ pages, requestTo, isFiltered = false }: LedgerTableProps) {
  const t = useMessages(billingMessages);
  const columns = useMemo(() => columnsOf(t, requestTo), [t, requestTo]);
  return (
    <DataTable
      label={t("ledger")}
      columns={columns}
      pages={pages}
      rowId={(entry) => String(entry.id)}
      empty={
        isFiltered ? (
          <EmptyState title={t("noMatches")} />
        ) : (
          <EmptyState title={t("noEntries")}>{t("noEntriesText")}</EmptyState>
        )
      }
    />
  );
}
