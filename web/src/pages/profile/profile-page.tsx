/** What users change about themselves. */

import { profileWords } from "../../i18n/en/profile.ts";
import { useWords } from "../../i18n/words.ts";
import { PageHeader } from "../../ui/surfaces.tsx";
import { LookCard } from "./look-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";
import { YouCard } from "./you-card.tsx";

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
