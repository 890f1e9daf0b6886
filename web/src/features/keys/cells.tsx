/** Parts of a key that several pages show: status, settings as text. Know no route. */

import { formatCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import type { Language } from "../../i18n/languages.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { CopyButton } from "../../ui/code.tsx";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import type { ApiKey, KeyFormValues, SettingName } from "./form-values.ts";

const tones: Record<ApiKey["status"], Tone> = {
  active: "good",
  disabled: "warn",
  expired: "neutral",
  revoked: "bad",
};

/** A key's status in a word. */
export function KeyStatus({ status }: { readonly status: ApiKey["status"] }) {
  const t = useMessages(keysMessages);
  return <StatusBadge tone={tones[status]}>{t(`status.${status}`)}</StatusBadge>;
}

/** The beginning of the secret, with its copy button. */
export function KeyPrefix({ prefix }: { readonly prefix: string }) {
  const t = useMessages(keysMessages);
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <code className="font-mono text-small text-muted">{prefix}…</code>
      <CopyButton text={prefix} label={t("copyPrefix")} />
    </span>
  );
}

/** The project and the tags in a line; nothing without. */
export function KeyLabels({ apiKey }: { readonly apiKey: ApiKey }) {
  const { project, tags } = apiKey;
  // One may be both.
  const labels = [...new Set([...(project === null ? [] : [project]), ...tags])];
  if (labels.length === 0) return null;
  return (
    <span className="block truncate text-small text-muted" title={labels.join(" · ")}>
      {labels.map((label, at) => (
        <span key={label}>
          {at > 0 && " · "}
          <bdi>{label}</bdi>
        </span>
      ))}
    </span>
  );
}

type TranslateKeys = Translate<KeyOf<typeof keysMessages>>;

/** A form's setting as text, to compare two of them. */
export function settingText(
  values: KeyFormValues,
  name: SettingName,
  t: TranslateKeys,
  language: Language,
): string {
  switch (name) {
    case "name":
      return values.name;
    case "expiresAt":
      return values.expiry === "at" ? values.expiresAt.replace("T", " ") : t(`expiry.${values.expiry}`);
    case "models":
      return values.modelChoice === "all" ? t("models.all") : values.models.join(", ");
    case "limits":
      return limitsText(values.limits, t, language);
    case "budget":
      return values.budget === ""
        ? t("noBudget")
        : t("budgetPer", {
            amount: formatMoney(values.budget),
            period: t(`period.${values.budgetPeriod}`),
          });
    case "ips":
      return values.ips.trim() === "" ? t("anywhere") : values.ips.split("\n").join(", ");
    case "project":
      return values.project.trim() === "" ? t("noLabel") : values.project;
    case "tags":
      return values.tags.trim() === "" ? t("noLabel") : values.tags.trim().split("\n").join(", ");
  }
}

/** The limits that are set, with their names. */
function limitsText(limits: ApiKey["limits"], t: TranslateKeys, language: Language): string {
  const set = (["requestsPerMinute", "tokensPerMinute", "concurrency"] as const).flatMap((name) => {
    const limit = limits[name];
    return limit === null ? [] : [`${t(name)}: ${formatCount(limit, language)}`];
  });
  return set.length === 0 ? t("noLimit") : set.join(" · ");
}
