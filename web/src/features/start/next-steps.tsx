/** What an operator does after the first call, each a link to where it is done. */
import {
  Bell,
  DatabaseBackup,
  Gauge,
  type LucideIcon,
  ShieldCheck,
  UserPlus,
  WalletCards,
} from "lucide-react";
import { startMessages } from "../../i18n/en/start.ts";
import { type KeyOf, useMessages } from "../../i18n/messages.ts";
import { PageLink } from "../../ui/navigation.tsx";

type Word = KeyOf<typeof startMessages>;

interface NextStep {
  readonly icon: LucideIcon;
  readonly title: Word;
  readonly text: Word;
  /** Absent: it is done outside the console. */
  readonly to?: string;
}

const nextSteps: readonly NextStep[] = [
  { icon: UserPlus, title: "next.invite", text: "next.inviteText", to: "/members" },
  { icon: WalletCards, title: "next.topUp", text: "next.topUpText", to: "/operator/accounts" },
  { icon: Gauge, title: "next.limits", text: "next.limitsText", to: "/operator/limits" },
  { icon: Bell, title: "next.alerts", text: "next.alertsText", to: "/operator/settings" },
  { icon: ShieldCheck, title: "next.twoFactor", text: "next.twoFactorText", to: "/profile" },
  { icon: DatabaseBackup, title: "next.backup", text: "next.backupText" },
];

/** See above. */
export function NextSteps() {
  const t = useMessages(startMessages);
  return (
    <section aria-labelledby="next-steps" className="flex flex-col gap-3 border-t border-line pt-5">
      <h2 id="next-steps" className="font-semibold">
        {t("nextTitle")}
      </h2>
      <ul className="grid gap-3 sm:grid-cols-2">
        {nextSteps.map(({ icon: Icon, title, text, to }) => (
          <li key={title} className="flex gap-3 rounded-xl border border-line px-4 py-3">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
            <div className="min-w-0">
              {to === undefined ? (
                <p className="font-medium">{t(title)}</p>
              ) : (
                <PageLink to={to} className="font-medium text-accent hover:underline">
                  {t(title)}
                </PageLink>
              )}
              <p className="text-small text-muted">{t(text)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
