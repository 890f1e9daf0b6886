/** The cost explorer across accounts, with upstream cost and margin. */
import { useAccountChoices } from "../../features/accounts/account-choices.ts";
import { Explorer } from "../../features/usage/explorer/explorer.tsx";

/** See above. */
export function OperatorExplorePage() {
  return <Explorer scope="operator" useAccounts={useAccountChoices} />;
}
