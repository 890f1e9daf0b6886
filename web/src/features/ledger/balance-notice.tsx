/** Says when a balance is low or used up; nothing otherwise. */
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Answer } from "../../api/routes.ts";
import { compareMoney, formatMoney } from "../../format/money.ts";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Notice } from "../../ui/surfaces.tsx";

export interface BalanceNoticeProps {
  readonly balance: Answer<"get /balance"> | undefined;
  /** What to do about it. */
  readonly action?: ReactNode;
}

/** See above. */
export function BalanceNotice({ balance, action }: BalanceNoticeProps) {
  const t = useMessages(billingMessages);
  if (balance === undefined) return null;
  const isEmpty = compareMoney(balance.balance, "0") <= 0;
  if (!isEmpty && !balance.isLow) return null;
  return (
    <div role="status" className="mb-4">
      <Notice
        tone={isEmpty ? "bad" : "warn"}
        icon={<TriangleAlert />}
        title={t(isEmpty ? "empty" : "low")}
        action={action}
      >
        {isEmpty ? t("emptyText") : t("lowText", { amount: formatMoney(balance.lowBalance ?? "0") })}
      </Notice>
    </div>
  );
}
