/** The fields of a key, for making one and for changing one. Knows no route. */

import { FormField } from "../../forms/form.tsx";
import type { FormState } from "../../forms/use-form.ts";
import { keysWords } from "../../i18n/en/pages/keys.ts";
import { useWords } from "../../i18n/words.ts";
import { RadioGroup, Select } from "../../ui/choices.tsx";
import { useTimeZone } from "../../ui/figures.tsx";
import { DateInput, MoneyInput, NumberInput, TextArea, TextInput } from "../../ui/inputs.tsx";
import { MultiSelect } from "../../ui/multi-select.tsx";
import { useModelChoices } from "../usage/key-choices.ts";
import { type Expiry, expiryDays, type FaultWords, type KeyFormValues } from "./form-values.ts";

export interface KeyFieldsProps {
  readonly form: FormState<KeyFormValues>;
}

/** Texts of the faults of a key's form. */
export function useFaultWords(): FaultWords {
  const say = useWords(keysWords);
  return {
    name: say("nameMissing"),
    expiresAt: say("expiresAtMissing"),
    models: say("modelsMissing"),
    amount: say("amountWrong"),
    limit: say("limitWrong"),
  };
}

/** Name and expiry: what every key is asked for. */
export function MainKeyFields({ form, isNew = false }: KeyFieldsProps & { readonly isNew?: boolean }) {
  const say = useWords(keysWords);
  const zone = useTimeZone();
  const expiries: readonly Expiry[] = isNew ? ["never", ...expiryDays, "at"] : ["never", "at"];
  return (
    <>
      <FormField
        form={form}
        name="name"
        label={say("name")}
        hint={isNew ? say("nameHint") : undefined}
        required
      >
        {(bind) => <TextInput {...bind} autoFocus={isNew} maxLength={200} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField form={form} name="expiry" label={say("expiry")}>
          {(bind) => (
            <Select {...bind} choices={expiries.map((value) => ({ value, label: say(`expiry.${value}`) }))} />
          )}
        </FormField>
        {form.values.expiry === "at" && (
          <FormField
            form={form}
            name="expiresAt"
            label={say("expiresAt")}
            hint={say("expiresAtHint", { zone })}
          >
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
  const say = useWords(keysWords);
  const models = useModelChoices(form.values.models);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
        <FormField form={form} name="budget" label={say("budget")} hint={say("budgetHint")} optional>
          {(bind) => <MoneyInput {...bind} placeholder={say("noBudget")} />}
        </FormField>
        <FormField form={form} name="budgetPeriod" label={say("budgetPeriod")}>
          {(bind) => (
            <Select
              {...bind}
              choices={(["day", "month"] as const).map((value) => ({ value, label: say(`period.${value}`) }))}
            />
          )}
        </FormField>
      </div>
      <FormField form={form} name="modelChoice" label={say("models")}>
        {(bind) => (
          <RadioGroup
            {...bind}
            choices={(["all", "some"] as const).map((value) => ({ value, label: say(`models.${value}`) }))}
          />
        )}
      </FormField>
      {form.values.modelChoice === "some" && (
        <FormField
          form={form}
          name="models"
          label={say("chooseModels")}
          hideLabel
          hint={form.values.models.length > 1 ? namesOf(form.values.models) : undefined}
        >
          {(bind) => <MultiSelect {...bind} choices={models} emptyText={say("chooseModels")} />}
        </FormField>
      )}
      <LimitFields form={form} />
      <FormField form={form} name="ips" label={say("ips")} hint={say("ipsHint")} optional>
        {(bind) => <TextArea {...bind} rows={3} mono placeholder={say("anywhere")} />}
      </FormField>
    </>
  );
}

function LimitFields({ form }: KeyFieldsProps) {
  const say = useWords(keysWords);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{say("limits")}</legend>
      <div className="grid gap-4 sm:grid-cols-3">
        {(["requestsPerMinute", "tokensPerMinute", "concurrency"] as const).map((name) => (
          <FormField key={name} form={form} name={name} path={`limits.${name}`} label={say(name)}>
            {(bind) => <NumberInput {...bind} min={0} placeholder={say("noLimit")} />}
          </FormField>
        ))}
      </div>
      <p className="text-[0.87rem] text-muted">{say("limitsHint")}</p>
    </fieldset>
  );
}
