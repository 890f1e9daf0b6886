/** What users change about themselves. */

import { LookCard } from "../../features/profile/look-card.tsx";
import { PasswordCard } from "../../features/profile/password-card.tsx";
import { SessionsCard } from "../../features/profile/sessions-card.tsx";
import { TwoFactorCard } from "../../features/profile/two-factor-card.tsx";
import { YouCard } from "../../features/profile/you-card.tsx";
import { profileMessages } from "../../i18n/en/profile.ts";
import { useMessages } from "../../i18n/messages.ts";
import { PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function ProfilePage() {
  const t = useMessages(profileMessages);
  return (
    <>
      <PageHeader title={t("title")} />
      <div className="flex max-w-3xl flex-col gap-5">
        <YouCard />
        <LookCard />
        <PasswordCard />
        <TwoFactorCard />
        <SessionsCard />
      </div>
    </>
  );
}
