/** What happens when a model fails or is slow, and how much all callers together may use of it. */
import { ArrowUp, X } from "lucide-react";
import { useController } from "react-hook-form";
import { FieldGroup, FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { IconButton } from "../../ui/button.tsx";
import { FoldedCard } from "../../ui/folded-card.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { NumberInput } from "../../ui/inputs/inputs.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import type { ModelValues } from "./values.ts";

interface SectionProps {
  readonly form: AppForm<ModelValues>;
  readonly summary: string;
}

const limitNames = ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const;

/** Of all callers together. */
export function LimitSection({ form, summary }: SectionProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <FoldedCard title={t("limitsTitle")} summary={summary} isFaulty={form.errorAt("limits") !== undefined}>
      <p className="mb-4 text-muted">{t("limitsText")}</p>
      <div className="grid gap-4 sm:grid-cols-3">
        {limitNames.map((name) => (
          <FormField key={name} form={form} name={name} label={t(name)}>
            {(bind) => <NumberInput {...bind} min={0} placeholder={t("noLimit")} />}
          </FormField>
        ))}
      </div>
    </FoldedCard>
  );
}

interface FallbackListProps extends Pick<SectionProps, "form"> {
  readonly modelIds: readonly string[];
}

function FallbackList({ form, modelIds }: FallbackListProps) {
  const t = useMessages(operatorModelsMessages);
  const { field } = useController({ control: form.control, name: "fallbacks" });
  const { value: fallbacks, onChange: change } = field;
  const moveUp = (at: number) => {
    const next = [...fallbacks];
    [next[at - 1], next[at]] = [next[at] as string, next[at - 1] as string];
    change(next);
  };
  return (
    <FieldGroup form={form} name="fallbacks" label={t("fallbacks")} hint={t("fallbacksHint")}>
      {fallbacks.length > 0 && (
        <ol className="flex flex-col gap-1">
          {fallbacks.map((id, at) => (
            <li key={id} className="flex items-center gap-1 rounded-lg bg-sunken py-0.5 pr-1 pl-3">
              <span className="min-w-0 flex-1 font-mono text-[0.9em]">
                {at + 1}. {id}
              </span>
              {at > 0 && (
                <IconButton size="small" label={t("moveUp", { id })} onClick={() => moveUp(at)}>
                  <ArrowUp aria-hidden className="size-4" />
                </IconButton>
              )}
              <IconButton
                size="small"
                label={t("removeFallback", { id })}
                onClick={() => change(fallbacks.filter((one) => one !== id))}
              >
                <X aria-hidden className="size-4" />
              </IconButton>
            </li>
          ))}
        </ol>
      )}
      <Combobox
        value=""
        emptyText={t("addFallback")}
        choices={modelIds
          .filter((id) => id !== form.values.id && !fallbacks.includes(id))
          .map((id) => ({ value: id, label: id }))}
        onChange={(id) => id !== "" && change([...fallbacks, id])}
      />
    </FieldGroup>
  );
}

/** Fallbacks and hedging. */
export function RoutingSection({ form, modelIds, summary }: FallbackListProps & SectionProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <FoldedCard
      title={t("routingTitle")}
      summary={summary}
      isFaulty={["fallbacks", "hedge"].some((path) => form.errorAt(path) !== undefined)}
    >
      <div className="grid gap-6 md:grid-cols-2">
        <FallbackList form={form} modelIds={modelIds} />
        <div className="flex flex-col gap-3">
          <FormField form={form} name="hedge" label={t("hedge")} hint={t("hedgeHint")}>
            {(bind) => (
              <RadioGroup
                {...bind}
                choices={(["none", "p95", "after"] as const).map((value) => ({
                  value,
                  label: t(`hedge.${value}`),
                }))}
              />
            )}
          </FormField>
          {form.values.hedge === "after" && (
            <FormField form={form} name="hedgeAfter" label={t("hedgeAfter")}>
              {(bind) => <NumberInput {...bind} min={0} step="any" unit={t("seconds")} />}
            </FormField>
          )}
        </div>
      </div>
    </FoldedCard>
  );
}
