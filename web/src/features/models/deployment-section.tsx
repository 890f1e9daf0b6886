/** Deployments of a model: upstream, upstream model ID, priority and weight; timeouts and cost on demand. */
import { formatIds } from "@plaza/contract/formats.ts";
import { Plus, Trash2 } from "lucide-react";
import { useFieldArray, useWatch } from "react-hook-form";
import { FieldGroup, FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FoldedCard } from "../../ui/folded-card.tsx";
import { NumberInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Combobox, MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { More } from "../../ui/more.tsx";
import { OptionalPrice } from "./price-fields.tsx";
import { emptyDeployment, type ModelValues } from "./values.ts";

interface DeploymentsProps {
  readonly form: AppForm<ModelValues>;
  readonly upstreamIds: readonly string[];
}

interface DeploymentSectionProps extends DeploymentsProps {
  readonly isNew: boolean;
  readonly summary: string;
}

/** See the file's comment. */
export function DeploymentSection({ form, upstreamIds, isNew, summary }: DeploymentSectionProps) {
  const t = useMessages(operatorModelsMessages);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "deployments" });
  return (
    <FoldedCard
      title={t("deploymentsTitle")}
      summary={summary}
      isOpenAtFirst={isNew}
      isFaulty={form.errorAt("deployments") !== undefined}
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-muted">{t("deploymentsText")}</p>
        {fields.length === 0 && <p className="text-warn">{t("noDeployments")}</p>}
        {fields.map(({ id }, at) => (
          <DeploymentFields
            key={id}
            form={form}
            at={at}
            upstreamIds={upstreamIds}
            onRemove={() => remove(at)}
          />
        ))}
        <FieldGroup form={form} name="deployments" label={t("deploymentsTitle")} hideLabel>
          <Button
            size="small"
            className="self-start"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() => append(emptyDeployment, { shouldFocus: false })}
          >
            {t("addDeployment")}
          </Button>
        </FieldGroup>
      </div>
    </FoldedCard>
  );
}

interface DeploymentFieldsProps extends DeploymentsProps {
  readonly at: number;
  readonly onRemove: () => void;
}

function DeploymentFields({ form, at, upstreamIds, onRemove }: DeploymentFieldsProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4">
      <legend className="sr-only">{t("deployment", { number: at + 1 })}</legend>
      <div className="flex items-start gap-3">
        <div className="grid min-w-0 flex-1 gap-4 sm:grid-cols-2 xl:grid-cols-[1fr_1.4fr_6rem_6rem]">
          <FormField form={form} name={`deployments.${at}.upstream`} label={t("upstream")} required>
            {(bind) => (
              <Combobox
                {...bind}
                emptyText={t("chooseUpstream")}
                choices={upstreamIds.map((id) => ({ value: id, label: id }))}
              />
            )}
          </FormField>
          <FormField form={form} name={`deployments.${at}.model`} label={t("upstreamModel")} required>
            {(bind) => <TextInput {...bind} mono />}
          </FormField>
          <FormField form={form} name={`deployments.${at}.priority`} label={t("priority")}>
            {(bind) => <NumberInput {...bind} min={0} placeholder="1" />}
          </FormField>
          <FormField form={form} name={`deployments.${at}.weight`} label={t("weight")}>
            {(bind) => <NumberInput {...bind} min={0} placeholder="1" />}
          </FormField>
        </div>
        <IconButton label={t("removeDeployment", { number: at + 1 })} onClick={onRemove}>
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      </div>
      <MoreFields form={form} at={at} />
    </fieldset>
  );
}

type MoreProps = Pick<DeploymentFieldsProps, "form" | "at">;

/** What few deployments need. */
function MoreFields({ form, at }: MoreProps) {
  const t = useMessages(operatorModelsMessages);
  const path = `deployments.${at}` as const;
  const { cost, formats, timers } = useWatch({ control: form.control, name: path });
  const hasMore =
    cost !== null || formats.length > 0 || Object.values(timers).some((timer) => timer !== null);
  const isFaulty = ["cost", "timers", "formats"].some(
    (part) => form.errorAt(`${path}.${part}`) !== undefined,
  );
  return (
    <More summary={t("timersAndCost")} isFilled={hasMore} isFaulty={isFaulty}>
      <div className="flex flex-col gap-5">
        <TimerFields form={form} at={at} />
        <fieldset className="flex min-w-0 flex-col gap-3">
          <legend className="mb-2 font-medium">{t("cost")}</legend>
          <OptionalPrice form={form} path={`${path}.cost`} label={t("knowsCost")} hint={t("costText")} />
        </fieldset>
        <FormField form={form} name={`${path}.formats`} label={t("formats")} hint={t("formatsText")}>
          {(bind) => (
            <MultiSelect
              {...bind}
              choices={formatIds.map((id) => ({ value: id, label: id }))}
              emptyText={t("asUpstream")}
            />
          )}
        </FormField>
      </div>
    </More>
  );
}

const timerNames = ["connect", "firstByte", "firstToken", "idle", "total"] as const;

function TimerFields({ form, at }: MoreProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">{t("timers")}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-4">
        {timerNames.map((name) => (
          <FormField
            key={name}
            form={form}
            name={`deployments.${at}.timers.${name}`}
            label={t(`${name}Timer`)}
          >
            {(bind) => (
              <NumberInput {...bind} min={0} step="any" unit={t("seconds")} placeholder={t("asUpstream")} />
            )}
          </FormField>
        ))}
      </div>
    </fieldset>
  );
}
