/** What users change about themselves. */

import { LookCard } from "../../features/profile/look-card.tsx";
import { PasswordCard } from "../../features/profile/password-card.tsx";
import { SessionsCard } from "../../features/profile/sessions-card.tsx";
import { TwoFactorCard } from "../../features/profile/two-factor-card.tsx";
import { YouCard } from "../../features/profile/you-card.tsx";
import { profileWords } from "../../i18n/en/profile.ts";
import { useWords } from "../../i18n/words.ts";
import { PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function ProfilePage() {
  const t = useWords(profileWords);
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
