/** The form of a model: every field of its document, for a new one and for one that is there. */
import type { ReactNode } from "react";
import { Form } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { DeploymentSection } from "./deployment-section.tsx";
import { FactsSection } from "./facts-section.tsx";
import { PriceSection, ScheduledSection } from "./price-sections.tsx";
import { LimitSection, RoutingSection } from "./routing-section.tsx";
import { useSectionSummaries } from "./section-summaries.ts";
import type { ModelValues } from "./values.ts";

interface ModelFormProps {
  readonly form: AppForm<ModelValues>;
  readonly isNew: boolean;
  /** plaza.yaml's: shown, not changed. */
  readonly isReadOnly?: boolean;
  readonly upstreamIds: readonly string[];
  readonly modelIds: readonly string[];
  /** What the button says. */
  readonly act: string;
  readonly also?: ReactNode;
  /** Above the fields: the changes of another user. */
  readonly note?: ReactNode;
}

/** See the file's comment. */
export function ModelForm(props: ModelFormProps) {
  const { form, isNew, isReadOnly = false, upstreamIds, modelIds } = props;
  const summaries = useSectionSummaries(form.values);
  return (
    <Form
      form={form}
      className="flex max-w-4xl flex-col gap-5 max-sm:gap-3"
      {...(isReadOnly ? {} : { act: props.act, also: props.also })}
    >
      {props.note}
      <fieldset disabled={isReadOnly} className="flex min-w-0 flex-col gap-5 max-sm:gap-3">
        <FactsSection form={form} isNew={isNew} summary={summaries.facts} />
        <PriceSection form={form} isNew={isNew} summary={summaries.price} />
        <ScheduledSection form={form} summary={summaries.scheduled} />
        <DeploymentSection
          form={form}
          isNew={isNew}
          upstreamIds={upstreamIds}
          summary={summaries.deployments}
        />
        <RoutingSection form={form} modelIds={modelIds} summary={summaries.routing} />
        <LimitSection form={form} summary={summaries.limits} />
      </fieldset>
    </Form>
  );
}
