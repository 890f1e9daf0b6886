/** The status of an account in a word. */
import type { Answer } from "../../api/routes.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";

export type Account = Answer<"get /operator/accounts/{id}">;

const tones: Record<Account["status"], Tone> = { active: "good", suspended: "warn", closed: "neutral" };

/** See above. */
export function AccountStatus({ status }: { readonly status: Account["status"] }) {
  const t = useMessages(operatorAccountsMessages);
  return <StatusBadge tone={tones[status]}>{t(`status.${status}`)}</StatusBadge>;
}
