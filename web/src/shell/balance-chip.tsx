/** The account's name and what it has, in the menu. */
import { useApiQuery } from "../api/queries.ts";
import { shellMessages } from "../i18n/en/shell.ts";
import { useMessages } from "../i18n/messages.ts";
import { Money } from "../ui/figures.tsx";
import { PageLink } from "../ui/navigation.tsx";
import { Skeleton } from "../ui/states.tsx";

/** Links to billing. */
export function BalanceChip({ accountName }: { readonly accountName: string }) {
  const t = useMessages(shellMessages);
  const balance = useApiQuery("get /balance", {}, { everyMs: 60_000 });
  return (
    <PageLink
      to="/billing"
      className="flex min-w-0 items-center justify-between gap-2 rounded-lg border border-line bg-surface px-2.5 py-1.5 text-small hover:bg-hover"
    >
      <span className="truncate text-muted" title={accountName}>
        {accountName}
      </span>
      <span className={balance.data?.isLow === true ? "font-medium text-warn" : "font-medium"}>
        <span className="sr-only">{t("balance")}: </span>
        {balance.data === undefined ? (
          <Skeleton className="h-4 w-12" />
        ) : (
          <Money value={balance.data.balance} />
        )}
      </span>
    </PageLink>
  );
}
