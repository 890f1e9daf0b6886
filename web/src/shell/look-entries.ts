/** Language and theme as menu items: changes apply immediately. */

import { shellMessages } from "../i18n/en/shell.ts";
import { setLanguage, useLanguage } from "../i18n/language.ts";
import { type Language, languageChoices } from "../i18n/languages.ts";
import { useMessages } from "../i18n/messages.ts";
import type { MenuEntry } from "../ui/overlays/menu-props.ts";
import { setTheme, type Theme, useTheme } from "./theme.ts";

/** What was chosen. */
export interface LookChange {
  readonly language?: Language;
  /** null = as the system. */
  readonly theme?: "light" | "dark" | null;
}

/** `onChange` is called after the page has changed, to save the choice elsewhere. */
export function useLookEntries(onChange: (change: LookChange) => void): readonly MenuEntry[] {
  const t = useMessages(shellMessages);
  const language = useLanguage();
  const theme = useTheme();
  return [
    {
      group: t("language"),
      value: language,
      choices: languageChoices,
      onChoose: (value) => {
        setLanguage(value as Language);
        onChange({ language: value as Language });
      },
    },
    {
      group: t("theme"),
      value: theme,
      choices: [
        { value: "light", label: t("theme.light") },
        { value: "dark", label: t("theme.dark") },
        { value: "system", label: t("theme.system") },
      ],
      onChoose: (value) => {
        setTheme(value as Theme);
        onChange({ theme: value === "system" ? null : (value as "light" | "dark") });
      },
    },
  ];
}
