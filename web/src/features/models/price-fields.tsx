/** Fields of one price: input and output first, the other classes and tiers on demand. */
import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useFieldArray, useWatch } from "react-hook-form";
import { FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { MoneyInput, NumberInput } from "../../ui/inputs/inputs.tsx";
import { More } from "../../ui/more.tsx";
import { emptyPrice, emptyTier, type ModelValues, type RateName, rateNames } from "./values.ts";

const otherNames = rateNames.filter((name) => name !== "input" && name !== "output");

/** What a class without a rate costs. */
const fallbackOf: Partial<Record<RateName, "as.input" | "as.output" | "as.cacheWrite">> = {
  cachedInput: "as.input",
  cacheWrite: "as.input",
  audioInput: "as.input",
  imageInput: "as.input",
  longCacheWrite: "as.cacheWrite",
  reasoning: "as.output",
  audioOutput: "as.output",
  imageOutput: "as.output",
};

type PricePath = "price" | `scheduled.${number}.price` | `deployments.${number}.cost`;

interface PartOf<PartPath extends string> {
  readonly form: AppForm<ModelValues>;
  readonly path: PartPath;
}

interface RateFieldsProps extends PartOf<PricePath | `${PricePath}.tiers.${number}`> {
  readonly names: readonly RateName[];
}

function RateFields({ form, path, names }: RateFieldsProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-4">
      {names.map((name) => {
        const fallback = fallbackOf[name];
        return (
          <FormField
            key={name}
            form={form}
            name={`${path}.rates.${name}`}
            label={t(`rate.${name}`)}
            required={fallback === undefined}
          >
            {(bind) => (
              <MoneyInput {...bind} {...(fallback === undefined ? {} : { placeholder: t(fallback) })} />
            )}
          </FormField>
        );
      })}
    </div>
  );
}

function TierFields({ form, path }: PartOf<`${PricePath}.tiers`>) {
  const t = useMessages(operatorModelsMessages);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: path });
  return (
    <div className="flex flex-col gap-3">
      {fields.map(({ id }, at) => (
        <div key={id} className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <div className="flex items-end justify-between gap-3">
            <FormField form={form} name={`${path}.${at}.above`} label={t("above")} required>
              {(bind) => <NumberInput {...bind} min={1} unit={t("tokens")} />}
            </FormField>
            <IconButton label={t("removeTier", { number: at + 1 })} onClick={() => remove(at)}>
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </div>
          <RateFields form={form} path={`${path}.${at}`} names={rateNames} />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          size="small"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => append(emptyTier, { shouldFocus: false })}
        >
          {t("addTier")}
        </Button>
        <span className="text-small text-muted">{t("tiersHint")}</span>
      </div>
    </div>
  );
}

/** See the file's comment. */
export function PriceFields({ form, path }: PartOf<PricePath>) {
  const t = useMessages(operatorModelsMessages);
  const price = useWatch({ control: form.control, name: path });
  const hasMore =
    price !== null &&
    (price.tiers.length > 0 ||
      price.perRequest !== "" ||
      otherNames.some((name) => price.rates[name] !== ""));
  const isFaulty = [...otherNames.map((name) => `rates.${name}`), "perRequest", "tiers"].some(
    (part) => form.errorAt(`${path}.${part}`) !== undefined,
  );
  return (
    <div className="flex flex-col gap-4">
      <RateFields form={form} path={path} names={["input", "output"]} />
      <More summary={`${t("otherClasses")}, ${t("tiers")}`} isFilled={hasMore} isFaulty={isFaulty}>
        <div className="flex flex-col gap-4">
          <RateFields form={form} path={path} names={otherNames} />
          <FormField
            form={form}
            name={`${path}.perRequest`}
            label={t("perRequest")}
            hint={t("perRequestHint")}
            className="max-w-xs"
          >
            {(bind) => <MoneyInput {...bind} placeholder={t("nothing")} />}
          </FormField>
          <TierFields form={form} path={`${path}.tiers`} />
        </div>
      </More>
    </div>
  );
}

interface OptionalPriceProps extends PartOf<"price" | `deployments.${number}.cost`> {
  readonly label: ReactNode;
  readonly hint: ReactNode;
}

/** A price that may be unknown. */
export function OptionalPrice({ form, path, label, hint }: OptionalPriceProps) {
  const isKnown = useWatch({ control: form.control, name: path }) !== null;
  return (
    <>
      <Checkbox
        label={label}
        hint={hint}
        value={isKnown}
        onChange={(knows) => form.setAt(path, knows ? emptyPrice : null)}
      />
      {isKnown && <PriceFields form={form} path={path} />}
    </>
  );
}
