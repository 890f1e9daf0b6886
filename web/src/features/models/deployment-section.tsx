/** Deployments of a model: upstream, upstream model ID, priority and weight; timeouts and cost on demand. */
import { formatIds } from "@plaza/contract/formats.ts";
import { Plus, Trash2 } from "lucide-react";
import { FieldGroup } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FoldedCard } from "../../ui/folded-card.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { NumberInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Combobox, MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { More } from "../../ui/more.tsx";
import { PriceFields } from "./price-fields.tsx";
import { type DeploymentValues, emptyDeployment, emptyPrice, type ModelValues } from "./values.ts";

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
  const { deployments } = form.values;
  return (
    <FoldedCard
      title={t("deploymentsTitle")}
      summary={summary}
      isOpenAtFirst={isNew}
      isFaulty={form.errorAt("deployments") !== undefined}
    >
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-muted">{t("deploymentsText")}</p>
        {deployments.length === 0 && <p className="text-warn">{t("noDeployments")}</p>}
        {deployments.map((one, at) => (
          <DeploymentFields
            // biome-ignore lint/suspicious/noArrayIndexKey: deployments have only their place.
            key={at}
            form={form}
            at={at}
            value={one}
            upstreamIds={upstreamIds}
            onChange={(changes) =>
              form.set((latest) => ({
                deployments: latest.deployments.map((former, index) =>
                  index === at ? { ...former, ...changes } : former,
                ),
              }))
            }
            onRemove={() =>
              form.set((latest) => ({ deployments: latest.deployments.filter((_, index) => index !== at) }))
            }
          />
        ))}
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() => form.set((latest) => ({ deployments: [...latest.deployments, emptyDeployment] }))}
          >
            {t("addDeployment")}
          </Button>
        </div>
      </div>
    </FoldedCard>
  );
}

interface DeploymentFieldsProps extends DeploymentsProps {
  readonly at: number;
  readonly value: DeploymentValues;
  /** Takes what changes: the last render may not have what was chosen just before. */
  readonly onChange: (changes: Partial<DeploymentValues>) => void;
  readonly onRemove: () => void;
}

function DeploymentFields({ form, at, value, upstreamIds, onChange, onRemove }: DeploymentFieldsProps) {
  const t = useMessages(operatorModelsMessages);
  const path = `deployments.${at}`;
  const hasMore =
    value.cost !== null ||
    value.formats.length > 0 ||
    Object.values(value.timers).some((timer) => timer !== null);
  const isFaulty = ["cost", "timeouts", "formats"].some(
    (part) => form.errorAt(`${path}.${part}`) !== undefined,
  );
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4">
      <legend className="sr-only">{t("deployment", { number: at + 1 })}</legend>
      <div className="flex items-start gap-3">
        <div className="grid min-w-0 flex-1 gap-4 sm:grid-cols-2 xl:grid-cols-[1fr_1.4fr_6rem_6rem]">
          <FieldGroup form={form} name={`${path}.upstream`} label={t("upstream")} required>
            <Combobox
              value={value.upstream}
              emptyText={t("chooseUpstream")}
              choices={upstreamIds.map((id) => ({ value: id, label: id }))}
              onChange={(upstream) => onChange({ upstream })}
            />
          </FieldGroup>
          <FieldGroup form={form} name={`${path}.model`} label={t("upstreamModel")} required>
            <TextInput mono value={value.model} onChange={(model) => onChange({ model })} />
          </FieldGroup>
          <FieldGroup form={form} name={`${path}.priority`} label={t("priority")}>
            <NumberInput
              value={value.priority}
              min={0}
              placeholder="1"
              onChange={(priority) => onChange({ priority })}
            />
          </FieldGroup>
          <FieldGroup form={form} name={`${path}.weight`} label={t("weight")}>
            <NumberInput
              value={value.weight}
              min={0}
              step="any"
              placeholder="1"
              onChange={(weight) => onChange({ weight })}
            />
          </FieldGroup>
        </div>
        <IconButton label={t("removeDeployment", { number: at + 1 })} onClick={onRemove}>
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      </div>
      <More summary={t("timersAndCost")} wanted={hasMore || isFaulty}>
        <div className="flex flex-col gap-5">
          <TimerFields form={form} path={`${path}.timeouts`} value={value} onChange={onChange} />
          <CostFields form={form} path={`${path}.cost`} value={value} onChange={onChange} />
          <FieldGroup form={form} name={`${path}.formats`} label={t("formats")} hint={t("formatsText")}>
            <MultiSelect
              value={value.formats}
              choices={formatIds.map((id) => ({ value: id, label: id }))}
              emptyText={t("asUpstream")}
              onChange={(formats) => onChange({ formats })}
            />
          </FieldGroup>
        </div>
      </More>
    </fieldset>
  );
}

interface MoreProps {
  readonly form: AppForm<ModelValues>;
  readonly path: string;
  readonly value: DeploymentValues;
  readonly onChange: (changes: Partial<DeploymentValues>) => void;
}

const timerNames = ["connect", "firstByte", "firstToken", "idle", "total"] as const;

function TimerFields({ form, path, value, onChange }: MoreProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">{t("timers")}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-4">
        {timerNames.map((name) => (
          <FieldGroup key={name} form={form} name={`${path}.${name}Ms`} label={t(`${name}Timer`)}>
            <NumberInput
              value={value.timers[name]}
              min={0}
              step="any"
              unit={t("seconds")}
              placeholder={t("asUpstream")}
              onChange={(seconds) => onChange({ timers: { ...value.timers, [name]: seconds } })}
            />
          </FieldGroup>
        ))}
      </div>
    </fieldset>
  );
}

function CostFields({ form, path, value, onChange }: MoreProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-2 font-medium">{t("cost")}</legend>
      <Checkbox
        label={t("knowsCost")}
        hint={t("costText")}
        value={value.cost !== null}
        onChange={(knows) => onChange({ cost: knows ? emptyPrice : null })}
      />
      {value.cost !== null && (
        <PriceFields form={form} path={path} value={value.cost} onChange={(cost) => onChange({ cost })} />
      )}
    </fieldset>
  );
}
