/**
 * Facts of a model in the same words on cards, in the table, on its page and in
 * comparisons. Unknown reads "unknown".
 */
import { AudioLines, FileText, Film, Image, type LucideIcon, Type } from "lucide-react";
import { formatDay } from "../../format/time.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { type KeyOf, useMessages } from "../../i18n/messages.ts";
import { TokenCount, Unknown, useTimeZone } from "../../ui/figures.tsx";
import { Badge, StatusBadge } from "../../ui/surfaces.tsx";
import type { PlazaModel } from "./models.ts";

const icons: Readonly<Record<string, LucideIcon>> = {
  text: Type,
  image: Image,
  audio: AudioLines,
  video: Film,
  file: FileText,
  pdf: FileText,
};

/** The name of a modality; one we have no word for is shown as it is. */
export function useKindName(): (kind: string) => string {
  const t = useMessages(plazaMessages);
  return (kind) => (Object.hasOwn(icons, kind) ? t(`kind.${kind}` as KeyOf<typeof plazaMessages>) : kind);
}

function Kinds({ kinds, isShort }: { readonly kinds: readonly string[]; readonly isShort: boolean }) {
  const nameOf = useKindName();
  return kinds.map((kind) => {
    const Icon = icons[kind];
    const hasIcon = Icon !== undefined;
    return (
      <span key={kind} className="inline-flex items-center gap-1" title={nameOf(kind)}>
        {hasIcon && <Icon aria-hidden className={isShort ? "size-4 text-muted" : "size-3.5 text-faint"} />}
        <span className={isShort && hasIcon ? "sr-only" : undefined}>{nameOf(kind)}</span>
      </span>
    );
  });
}

export interface ModalitiesProps {
  readonly model: Pick<PlazaModel, "modalities">;
  /** Icons alone; their names are read aloud. */
  readonly isShort?: boolean;
}

/** What goes in, an arrow, what comes out. */
export function Modalities({ model, isShort = false }: ModalitiesProps) {
  if (model.modalities === null) return <Unknown />;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Kinds kinds={model.modalities.input} isShort={isShort} />
      <span className="text-faint">→</span>
      <Kinds kinds={model.modalities.output} isShort={isShort} />
    </span>
  );
}

/** Most models are; left out when there is little room. */
export const isForChatAlone = ({ operations }: Pick<PlazaModel, "operations">): boolean =>
  operations.length === 1 && operations[0] === "chat";

interface OperationsProps {
  readonly model: Pick<PlazaModel, "operations">;
  /** Chat alone is said, too; without it nothing is drawn for a model for chat alone. */
  readonly isWhole?: boolean;
}

/** What it is for. */
export function Operations({ model, isWhole = false }: OperationsProps) {
  const t = useMessages(operationMessages);
  if (!isWhole && isForChatAlone(model)) return null;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {model.operations.map((name) => (
        <Badge key={name} tone="accent">
          {t(`operation.${name}`)}
        </Badge>
      ))}
    </span>
  );
}

/** What it is known to be able to. */
export function Capabilities({ model }: { readonly model: Pick<PlazaModel, "capabilities"> }) {
  const t = useMessages(plazaMessages);
  if (model.capabilities === null) return <span className="text-faint">{t("capabilitiesUnknown")}</span>;
  if (model.capabilities.length === 0) return <span className="text-muted">{t("capabilitiesNone")}</span>;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {model.capabilities.map((name) => (
        <Badge key={name}>{t(`can.${name}`)}</Badge>
      ))}
    </span>
  );
}

const tones = {
  available: "good",
  degraded: "warn",
  down: "bad",
  unpriced: "warn",
  unserved: "warn",
} as const;

/** The status as a word; what it means for a call is its tooltip. */
export function ModelStatus({ model: { status } }: { readonly model: Pick<PlazaModel, "status"> }) {
  const t = useMessages(plazaMessages);
  const hint = status === "available" ? undefined : t(`statusHint.${status}`);
  return (
    <StatusBadge tone={tones[status]} title={hint}>
      <span className="whitespace-normal">{t(`status.${status}`)}</span>
    </StatusBadge>
  );
}

/** The deprecation date; empty when none is known. */
export function Deprecation({ at }: { readonly at: string | null }) {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const zone = useTimeZone();
  if (at === null) return null;
  const day = formatDay(at, language, zone);
  const isPast = Date.parse(at) <= Date.now();
  return <Badge tone={isPast ? "bad" : "warn"}>{t(isPast ? "deprecated" : "deprecatedFrom", { day })}</Badge>;
}

/** One limit; null is none. */
export function LimitNumber({ value }: { readonly value: number | null }) {
  const t = useMessages(plazaMessages);
  return value === null ? <span className="text-faint">{t("noLimit")}</span> : <TokenCount value={value} />;
}

/** The three limits as label and value. */
export function useLimitRows(limits: PlazaModel["myLimits"]) {
  const t = useMessages(plazaMessages);
  return [
    [t("requestsPerMinute"), <LimitNumber key="r" value={limits.requestsPerMinute} />],
    [t("tokensPerMinute"), <LimitNumber key="t" value={limits.tokensPerMinute} />],
    [t("concurrency"), <LimitNumber key="c" value={limits.concurrency} />],
  ] as const;
}
