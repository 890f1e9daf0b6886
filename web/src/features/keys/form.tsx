/** The fields of a key, for making one and for changing one. Knows no route. */

import { FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useTimeZone } from "../../ui/figures.tsx";
import { RadioGroup, Select } from "../../ui/inputs/choices.tsx";
import { DateInput, MoneyInput, NumberInput, TextArea, TextInput } from "../../ui/inputs/inputs.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { useModelChoices } from "../usage/model-choices.ts";
import { type Expiry, expiryDays, type FaultWords, type KeyFormValues } from "./form-values.ts";

export interface KeyFieldsProps {
  readonly form: AppForm<KeyFormValues>;
}

/** Texts of the faults of a key's form. */
export function useFaultMessages(): FaultWords {
  const t = useMessages(keysMessages);
  return { expiresAt: t("expiresAtMissing"), models: t("modelsMissing") };
}

/** Name and expiry: what every key is asked for. */
export function MainKeyFields({ form, isNew = false }: KeyFieldsProps & { readonly isNew?: boolean }) {
  const t = useMessages(keysMessages);
  const zone = useTimeZone();
  const expiries: readonly Expiry[] = isNew ? ["never", ...expiryDays, "at"] : ["never", "at"];
  return (
    <>
      <FormField form={form} name="name" label={t("name")} hint={isNew ? t("nameHint") : undefined} required>
        {(bind) => <TextInput {...bind} autoFocus={isNew} maxLength={200} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField form={form} name="expiry" label={t("expiry")}>
          {(bind) => (
            <Select {...bind} choices={expiries.map((value) => ({ value, label: t(`expiry.${value}`) }))} />
          )}
        </FormField>
        {form.values.expiry === "at" && (
          <FormField form={form} name="expiresAt" label={t("expiresAt")} hint={t("expiresAtHint", { zone })}>
            {(bind) => <DateInput {...bind} withTime />}
          </FormField>
        )}
      </div>
    </>
  );
}

/** Most names that are written out. */
const namesMax = 12;

function namesOf(models: readonly string[]): string {
  return models.length <= namesMax ? models.join(", ") : `${models.slice(0, namesMax).join(", ")} …`;
}

/** Budget, models, limits, addresses. */
export function RestrictionFields({ form }: KeyFieldsProps) {
  const t = useMessages(keysMessages);
  const models = useModelChoices(form.values.models);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
        <FormField form={form} name="budget" label={t("budget")} hint={t("budgetHint")} optional>
          {(bind) => <MoneyInput {...bind} placeholder={t("noBudget")} />}
        </FormField>
        <FormField form={form} name="budgetPeriod" label={t("budgetPeriod")}>
          {(bind) => (
            <Select
              {...bind}
              choices={(["day", "month"] as const).map((value) => ({ value, label: t(`period.${value}`) }))}
            />
          )}
        </FormField>
      </div>
      <FormField form={form} name="modelChoice" label={t("models")}>
        {(bind) => (
          <RadioGroup
            {...bind}
            choices={(["all", "some"] as const).map((value) => ({ value, label: t(`models.${value}`) }))}
          />
        )}
      </FormField>
      {form.values.modelChoice === "some" && (
        <FormField
          form={form}
          name="models"
          label={t("chooseModels")}
          hideLabel
          hint={form.values.models.length > 1 ? namesOf(form.values.models) : undefined}
        >
          {(bind) => <MultiSelect {...bind} choices={models} emptyText={t("chooseModels")} />}
        </FormField>
      )}
      <LimitFields form={form} />
      <FormField form={form} name="ips" label={t("ips")} hint={t("ipsHint")} optional>
        {(bind) => <TextArea {...bind} rows={3} mono placeholder={t("anywhere")} />}
      </FormField>
      <FormField form={form} name="project" label={t("project")} hint={t("projectHint")} optional>
        {(bind) => <TextInput {...bind} maxLength={40} />}
      </FormField>
      <FormField form={form} name="tags" label={t("tags")} hint={t("tagsHint")} optional>
        {(bind) => <TextArea {...bind} rows={2} />}
      </FormField>
    </>
  );
}

function LimitFields({ form }: KeyFieldsProps) {
  const t = useMessages(keysMessages);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{t("limits")}</legend>
      <div className="grid gap-4 sm:grid-cols-3">
        {(["requestsPerMinute", "tokensPerMinute", "concurrency"] as const).map((name) => (
          <FormField key={name} form={form} name={`limits.${name}`} label={t(name)}>
            {(bind) => <NumberInput {...bind} min={0} placeholder={t("noLimit")} />}
          </FormField>
        ))}
      </div>
      <p className="text-small text-muted">{t("limitsHint")}</p>
    </fieldset>
  );
}
