/** The current price of a model, and the scheduled ones. */
import { Plus, Trash2 } from "lucide-react";
import { useFieldArray } from "react-hook-form";
import { FieldGroup, FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FoldedCard } from "../../ui/folded-card.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { OptionalPrice, PriceFields } from "./price-fields.tsx";
import { emptyPrice, type ModelValues } from "./values.ts";

interface SectionProps {
  readonly form: AppForm<ModelValues>;
  readonly summary: string;
}

/** What it costs now. */
export function PriceSection({ form, isNew, summary }: SectionProps & { readonly isNew: boolean }) {
  const t = useMessages(operatorModelsMessages);
  return (
    <FoldedCard
      title={t("priceTitle")}
      summary={summary}
      isOpenAtFirst={isNew}
      isFaulty={form.errorAt("price") !== undefined}
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-muted">{t("priceText")}</p>
        <OptionalPrice form={form} path="price" label={t("hasPrice")} hint={t("withoutPrice")} />
      </div>
    </FoldedCard>
  );
}

/** What it will cost. */
export function ScheduledSection({ form, summary }: SectionProps) {
  const t = useMessages(operatorModelsMessages);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "scheduled" });
  return (
    <FoldedCard
      title={t("scheduledTitle")}
      summary={summary}
      isFaulty={form.errorAt("scheduled") !== undefined}
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-muted">{t("scheduledText")}</p>
        {fields.map(({ id }, at) => (
          <fieldset key={id} className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4">
            <legend className="sr-only">{t("scheduledNumber", { number: at + 1 })}</legend>
            <div className="flex items-start justify-between gap-3">
              <FormField
                form={form}
                name={`scheduled.${at}.validFrom`}
                label={t("validFrom")}
                hint={t("validFromHint")}
                required
              >
                {(bind) => <TextInput {...bind} />}
              </FormField>
              <IconButton label={t("removeScheduled", { number: at + 1 })} onClick={() => remove(at)}>
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            </div>
            <PriceFields form={form} path={`scheduled.${at}.price`} />
          </fieldset>
        ))}
        <FieldGroup form={form} name="scheduled" label={t("scheduledTitle")} hideLabel>
          <Button
            size="small"
            className="self-start"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() =>
              append({ validFrom: "", price: form.values.price ?? emptyPrice }, { shouldFocus: false })
            }
          >
            {t("addScheduled")}
          </Button>
        </FieldGroup>
      </div>
    </FoldedCard>
  );
}
