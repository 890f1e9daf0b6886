/**
 * Language, theme and time zone, kept for all devices, and keyboard shortcuts, kept on this one. Changes
 * apply immediately.
 */
import { useMemo, useState } from "react";
import { call } from "../../api/call.ts";
import type { SentTo } from "../../api/routes.ts";
import { profileMessages } from "../../i18n/en/profile.ts";
import { setLanguage, useLanguage } from "../../i18n/language.ts";
import { type Language, languageChoices } from "../../i18n/languages.ts";
import { useMessages } from "../../i18n/messages.ts";
import { takeSession, useSession } from "../../shell/session.ts";
import { setShortcuts, useShortcutsOn } from "../../shell/shortcuts.ts";
import { setTheme, useTheme } from "../../shell/theme.ts";
import { Checkbox, RadioGroup } from "../../ui/inputs/choices.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";

type Change = SentTo<"patch /profile">["body"];

/** See above. */
export function LookCard() {
  const t = useMessages(profileMessages);
  const language = useLanguage();
  const theme = useTheme();
  const { user } = useSession();
  const [error, setError] = useState<unknown>(null);
  const keep = (change: Change) => {
    setError(null);
    call("patch /profile", { body: change }).then(takeSession, setError);
  };
  return (
    <Card title={t("look")}>
      <div className="flex flex-col gap-5">
        <Field label={t("language")}>
          <RadioGroup
            inline
            value={language}
            choices={languageChoices}
            onChange={(value: Language) => {
              setLanguage(value);
              keep({ language: value });
            }}
          />
        </Field>
        <Field label={t("theme")}>
          <RadioGroup
            inline
            value={theme}
            choices={[
              { value: "light", label: t("light") },
              { value: "dark", label: t("dark") },
              { value: "system", label: t("asSystem") },
            ]}
            onChange={(value) => {
              setTheme(value);
              keep({ theme: value === "system" ? null : value });
            }}
          />
        </Field>
        <TimeZone value={user?.timeZone ?? null} onChange={(timeZone) => keep({ timeZone })} />
        <Shortcuts />
        {error !== null && <ErrorNote error={error} />}
      </div>
    </Card>
  );
}

function Shortcuts() {
  const t = useMessages(profileMessages);
  return (
    <Checkbox
      label={t("shortcuts")}
      hint={t("shortcutsHint")}
      value={useShortcutsOn()}
      onChange={setShortcuts}
    />
  );
}

interface TimeZoneProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

function TimeZone({ value, onChange }: TimeZoneProps) {
  const t = useMessages(profileMessages);
  const choices = useMemo(() => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zones = Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC");
    return [
      { value: "browser", label: t("timeZoneBrowser", { zone: own }) },
      ...["UTC", ...zones].map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") })),
    ];
  }, [t]);
  return (
    <Field label={t("timeZone")} hint={t("timeZoneHint")} className="max-w-md">
      <Combobox
        value={value ?? "browser"}
        choices={choices}
        emptyText={t("noZone")}
        onChange={(zone) => onChange(zone === "browser" || zone === "" ? null : zone)}
      />
    </Field>
  );
}
