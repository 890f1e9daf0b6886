/** What the plaza shows of a model. Unknown stays empty. */
import { capabilityNames } from "@plaza/contract/catalog.ts";
import { operationNames } from "@plaza/contract/operations.ts";
import { FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { FoldedCard } from "../../ui/folded-card.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { NumberInput, TextArea, TextInput } from "../../ui/inputs/inputs.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import type { ModelValues } from "./values.ts";

const modalityNames = ["text", "image", "audio", "video", "file"] as const;

interface FactsSectionProps {
  readonly form: AppForm<ModelValues>;
  /** The id can be chosen. */
  readonly isNew: boolean;
  readonly summary: string;
}

/** As the server names them. */
const factPaths = [
  "id",
  "name",
  "family",
  "context",
  "maxOutput",
  "operations",
  "modalities",
  "deprecated",
  "capabilities",
  "description",
] as const;

/** See the file's comment. */
export function FactsSection({ form, isNew, summary }: FactsSectionProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <FoldedCard
      title={t("facts")}
      summary={summary}
      isOpenAtFirst
      isFaulty={factPaths.some((path) => form.errorAt(path) !== undefined)}
    >
      <p className="mb-4 text-muted">{t("factsText")}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {isNew && (
          <FormField form={form} name="id" label={t("id")} hint={t("idHint")} required>
            {(bind) => <TextInput {...bind} mono />}
          </FormField>
        )}
        <FormField form={form} name="name" label={t("name")} hint={t("nameHint")}>
          {(bind) => <TextInput {...bind} placeholder={form.values.id} />}
        </FormField>
        <FormField form={form} name="family" label={t("family")} hint={t("familyHint")}>
          {(bind) => <TextInput {...bind} />}
        </FormField>
        <FormField form={form} name="context" label={t("context")}>
          {(bind) => <NumberInput {...bind} min={1} unit={t("tokens")} placeholder={t("unknown")} />}
        </FormField>
        <FormField form={form} name="maxOutput" label={t("maxOutput")}>
          {(bind) => <NumberInput {...bind} min={1} unit={t("tokens")} placeholder={t("unknown")} />}
        </FormField>
        <OperationsField form={form} />
        <ModalityFields form={form} />
        <FormField form={form} name="deprecated" label={t("deprecated")} hint={t("deprecatedHint")}>
          {(bind) => <TextInput {...bind} />}
        </FormField>
        <CapabilityFields form={form} />
        <FormField form={form} name="description" label={t("description")} className="sm:col-span-2">
          {(bind) => <TextArea {...bind} rows={3} />}
        </FormField>
      </div>
    </FoldedCard>
  );
}

function OperationsField({ form }: Pick<FactsSectionProps, "form">) {
  const t = useMessages(operatorModelsMessages);
  const tOperation = useMessages(operationMessages);
  return (
    <FormField form={form} name="operations" label={t("operations")} hint={t("operationsHint")} required>
      {(bind) => (
        <MultiSelect
          {...bind}
          choices={operationNames.map((value) => ({ value, label: tOperation(`operation.${value}`) }))}
        />
      )}
    </FormField>
  );
}

function ModalityFields({ form }: Pick<FactsSectionProps, "form">) {
  const t = useMessages(operatorModelsMessages);
  const choices = modalityNames.map((value) => ({ value, label: t(`modality.${value}`) }));
  return (
    <>
      <FormField form={form} name="inputs" label={t("inputs")}>
        {(bind) => <MultiSelect {...bind} choices={choices} emptyText={t("unknown")} />}
      </FormField>
      <FormField form={form} name="outputs" label={t("outputs")}>
        {(bind) => <MultiSelect {...bind} choices={choices} emptyText={t("unknown")} />}
      </FormField>
    </>
  );
}

function CapabilityFields({ form }: Pick<FactsSectionProps, "form">) {
  const t = useMessages(operatorModelsMessages);
  return (
    <div className="flex flex-col gap-3 sm:col-span-2">
      <Checkbox
        label={t("knowsCapabilities")}
        hint={t("knowsCapabilitiesHint")}
        value={form.values.knowsCapabilities}
        onChange={(knowsCapabilities) => form.set({ knowsCapabilities })}
      />
      {form.values.knowsCapabilities && (
        <FormField form={form} name="capabilities" label={t("capabilities")} className="max-w-md">
          {(bind) => (
            <MultiSelect
              {...bind}
              emptyText={t("noCapabilities")}
              choices={capabilityNames.map((value) => ({ value, label: t(`capability.${value}`) }))}
            />
          )}
        </FormField>
      )}
    </div>
  );
}
