/** The ledger of one account, as the operator sees it: the same lines as its own people do. */
import { usePages } from "../../../api/queries.ts";
import { LedgerView, useLedgerFilter } from "../../billing/ledger-view.tsx";

const requestTo = (id: string) => `/operator/requests/${encodeURIComponent(id)}`;

/** See above. */
export function AccountLedger({ accountId }: { readonly accountId: string }) {
  const filter = useLedgerFilter();
  const pages = usePages(
    "get /operator/accounts/{id}/entries",
    { params: { id: accountId }, query: filter.query },
    (page) => page.entries,
    { keep: true },
  );
  return <LedgerView filter={filter} pages={pages} requestTo={requestTo} />;
}
