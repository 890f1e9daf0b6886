/** Selects the key for calls, or shows what to do without one. Knows no secret. */

import { KeyRound } from "lucide-react";
import type { ReactNode } from "react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { EmptyState, ErrorNote, Skeleton } from "../../ui/states.tsx";
import { allows, chooseKey, type Keys, useKeys } from "./use-keys.ts";

export interface KeyChoiceProps {
  readonly keys: Keys;
  /** Models to call with it. */
  readonly models: readonly string[];
  readonly className?: string;
}

/** The field; grey while keys load. */
export function KeyChoice({ keys, models, className }: KeyChoiceProps) {
  const t = useMessages(playgroundMessages);
  if (keys.error !== null && keys.list === undefined) return <ErrorNote error={keys.error} />;
  if (keys.list === undefined) return <Skeleton className="h-10 w-48" />;
  const { chosen } = keys;
  const isUnfit = chosen !== undefined && !allows(chosen, models);
  return (
    <Field
      label={t("key")}
      error={isUnfit ? t("keyNotForModel") : undefined}
      {...(keys.hasMore ? { hint: t("keysMore") } : {})}
      {...(className === undefined ? {} : { className })}
    >
      <Combobox
        value={chosen?.id ?? ""}
        onChange={(id) => id !== "" && chooseKey(id)}
        emptyText={t("chooseKey")}
        choices={keys.list.map((key) => ({
          value: key.id,
          label: key.name,
          hint: allows(key, models) ? <code>{key.visiblePrefix}…</code> : t("keyNotForModel"),
        }))}
      />
    </Field>
  );
}

export interface NeedsKeyProps {
  readonly models: readonly string[];
  /** Drawn with the keys once there is one. */
  readonly children: (keys: Keys) => ReactNode;
}

/** Shows its content to users with a key; tells others how to create one. */
export function NeedsKey({ models, children }: NeedsKeyProps) {
  const t = useMessages(playgroundMessages);
  const { user } = useSession();
  const keys = useKeys(models);
  if (user === null) {
    const back = `${location.pathname}${location.search}`;
    return (
      <EmptyState
        icon={<KeyRound />}
        title={t("signInTitle")}
        action={
          <Link to={pageTo("/sign-in", { back })} variant="primary">
            {t("signIn")}
          </Link>
        }
      >
        {t("signInText")}
      </EmptyState>
    );
  }
  if (keys.isAbsent) return <EmptyState icon={<KeyRound />} title={t("noAccountText")} />;
  if (keys.list?.length === 0) {
    return (
      <EmptyState
        icon={<KeyRound />}
        title={t("noKeyTitle")}
        action={
          <Link to="/keys" variant="primary">
            {t("makeKey")}
          </Link>
        }
      >
        {t("noKeyText")}
      </EmptyState>
    );
  }
  return children(keys);
}
