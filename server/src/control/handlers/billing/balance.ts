/** An account's balance, and whether it is low. */
import type { balanceAnswer } from "@plaza/contract/api/billing.ts";
import { formatUsd, type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { z } from "zod";
import type { ConsoleAccount } from "../../../store/accounts/keys.ts";
import type { InstallationSettings } from "../../../store/operation/operation.ts";

export const usdOrNull = (amount: NanoUsd | null): string | null =>
  amount === null ? null : formatUsd(amount);

/** The threshold that applies: the account's own, or else the installation's; null: none. */
const thresholdOf = (account: ConsoleAccount, settings: InstallationSettings): NanoUsd | null =>
  account.lowBalance ?? settings.lowBalance;

/** True below the threshold that applies. */
export function isLow(account: ConsoleAccount, settings: InstallationSettings): boolean {
  const threshold = thresholdOf(account, settings);
  return threshold !== null && account.balance < threshold;
}

/** The figures of a balance, as every page shows them. */
export const balanceOf = ({ balance, leased }: ConsoleAccount) => ({
  balance: formatUsd(balance),
  held: formatUsd(leased),
  available: formatUsd(nanoUsd(balance - leased)),
});

export function showBalance(
  account: ConsoleAccount,
  settings: InstallationSettings,
): z.output<typeof balanceAnswer> {
  const { id, name, status, lowBalance, revision } = account;
  return {
    account: { id, name, status, lowBalance: usdOrNull(lowBalance), revision },
    ...balanceOf(account),
    lowBalance: usdOrNull(thresholdOf(account, settings)),
    isLow: isLow(account, settings),
  };
}
