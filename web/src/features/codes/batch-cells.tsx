/** Parts of a batch of codes that the list and the detail show. */
import type { Answer } from "../../api/routes.ts";
import { operatorCodesMessages } from "../../i18n/en/pages/operator-codes.ts";
import { useMessages } from "../../i18n/messages.ts";
import { When } from "../../ui/figures.tsx";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";

export type Batch = Answer<"get /operator/code-batches">["batches"][number];
export type Code = Answer<"get /operator/code-batches/{id}">["codes"][number];

const tones: Record<Batch["status"] | Code["status"], Tone> = {
  open: "good",
  redeemed: "accent",
  used_up: "neutral",
  expired: "neutral",
  voided: "warn",
};

/** Of a batch or of a code. */
export function CodeStatus({ status }: { readonly status: keyof typeof tones }) {
  const t = useMessages(operatorCodesMessages);
  return <StatusBadge tone={tones[status]}>{t(`status.${status}`)}</StatusBadge>;
}

/** "never" for codes that do not expire. */
export function CodeExpiry({ at }: { readonly at: string | null }) {
  const t = useMessages(operatorCodesMessages);
  return at === null ? <span className="text-faint">{t("never")}</span> : <When at={at} as="exact" />;
}
