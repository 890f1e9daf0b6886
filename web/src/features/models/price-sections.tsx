/** The current price of a model, and the scheduled ones. */
import { Plus, Trash2 } from "lucide-react";
import { FieldGroup } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FoldedCard } from "../../ui/folded-card.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { PriceFields } from "./price-fields.tsx";
import { emptyPrice, type ModelValues, type ScheduledValues } from "./values.ts";

interface SectionProps {
  readonly form: AppForm<ModelValues>;
  readonly summary: string;
}

/** What it costs now. */
export function PriceSection({ form, isNew, summary }: SectionProps & { readonly isNew: boolean }) {
  const t = useMessages(operatorModelsMessages);
  const { price } = form.values;
  return (
    <FoldedCard
      title={t("priceTitle")}
      summary={summary}
      isOpenAtFirst={isNew}
      isFaulty={form.errorAt("price") !== undefined}
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-muted">{t("priceText")}</p>
        <Checkbox
          label={t("hasPrice")}
          hint={t("withoutPrice")}
          value={price !== null}
          onChange={(has) => form.set({ price: has ? emptyPrice : null })}
        />
        {price !== null && (
          <PriceFields
            form={form}
            path="price"
            value={price}
            onChange={(next) => form.set({ price: next })}
          />
        )}
      </div>
    </FoldedCard>
  );
}

/** What it will cost. */
export function ScheduledSection({ form, summary }: SectionProps) {
  const t = useMessages(operatorModelsMessages);
  const { scheduled } = form.values;
  const change = (at: number, one: ScheduledValues) =>
    form.set({ scheduled: scheduled.map((former, place) => (place === at ? one : former)) });
  return (
    <FoldedCard
      title={t("scheduledTitle")}
      summary={summary}
      isFaulty={form.errorAt("scheduledPrices") !== undefined}
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-muted">{t("scheduledText")}</p>
        {scheduled.map((one, at) => (
          <fieldset
            // biome-ignore lint/suspicious/noArrayIndexKey: scheduled prices have only their place.
            key={at}
            className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4"
          >
            <legend className="sr-only">{t("scheduledNumber", { number: at + 1 })}</legend>
            <div className="flex items-start justify-between gap-3">
              <FieldGroup
                form={form}
                name={`scheduledPrices.${at}.validFrom`}
                label={t("validFrom")}
                hint={t("validFromHint")}
                required
              >
                <TextInput
                  value={one.validFrom}
                  onChange={(validFrom) => change(at, { ...one, validFrom })}
                />
              </FieldGroup>
              <IconButton
                label={t("removeScheduled", { number: at + 1 })}
                onClick={() => form.set({ scheduled: scheduled.filter((_, place) => place !== at) })}
              >
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            </div>
            <PriceFields
              form={form}
              path={`scheduledPrices.${at}`}
              value={one.price}
              onChange={(price) => change(at, { ...one, price })}
            />
          </fieldset>
        ))}
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() =>
              form.set({
                scheduled: [...scheduled, { validFrom: "", price: form.values.price ?? emptyPrice }],
              })
            }
          >
            {t("addScheduled")}
          </Button>
        </div>
      </div>
    </FoldedCard>
  );
}
