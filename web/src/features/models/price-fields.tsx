/** Fields of one price: input and output first, the other classes and tiers on demand. */
import { Plus, Trash2 } from "lucide-react";
import { FieldGroup } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { MoneyInput, NumberInput } from "../../ui/inputs/inputs.tsx";
import { More } from "../../ui/more.tsx";
import {
  emptyTier,
  type ModelValues,
  type PriceValues,
  type RateName,
  type RateValues,
  rateNames,
  type TierValues,
} from "./values.ts";

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

interface PartOf<Value> {
  readonly form: AppForm<ModelValues>;
  /** Of the price in the document, as in `deployments.0.cost`. */
  readonly path: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

interface RateFieldsProps extends PartOf<RateValues> {
  readonly names: readonly RateName[];
}

function RateFields({ form, path, value, onChange, names }: RateFieldsProps) {
  const t = useMessages(operatorModelsMessages);
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-4">
      {names.map((name) => {
        const fallback = fallbackOf[name];
        return (
          <FieldGroup
            key={name}
            form={form}
            name={`${path}.${name}`}
            label={t(`rate.${name}`)}
            required={fallback === undefined}
          >
            <MoneyInput
              value={value[name]}
              onChange={(rate) => onChange({ ...value, [name]: rate })}
              {...(fallback === undefined ? {} : { placeholder: t(fallback) })}
            />
          </FieldGroup>
        );
      })}
    </div>
  );
}

function TierFields({ form, path, value, onChange }: PartOf<readonly TierValues[]>) {
  const t = useMessages(operatorModelsMessages);
  const change = (at: number, tier: TierValues) =>
    onChange(value.map((one, place) => (place === at ? tier : one)));
  return (
    <div className="flex flex-col gap-3">
      {value.map((tier, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tiers have only their place.
        <div key={at} className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <div className="flex items-end justify-between gap-3">
            <FieldGroup form={form} name={`${path}.${at}.abovePromptTokens`} label={t("above")} required>
              <NumberInput
                value={tier.above}
                min={1}
                unit={t("tokens")}
                onChange={(above) => change(at, { ...tier, above })}
              />
            </FieldGroup>
            <IconButton
              label={t("removeTier", { number: at + 1 })}
              onClick={() => onChange(value.filter((_, place) => place !== at))}
            >
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </div>
          <RateFields
            form={form}
            path={`${path}.${at}`}
            names={rateNames}
            value={tier.rates}
            onChange={(rates) => change(at, { ...tier, rates })}
          />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          size="small"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => onChange([...value, emptyTier])}
        >
          {t("addTier")}
        </Button>
        <span className="text-small text-muted">{t("tiersHint")}</span>
      </div>
    </div>
  );
}

/** See the file's comment. */
export function PriceFields({ form, path, value, onChange }: PartOf<PriceValues>) {
  const t = useMessages(operatorModelsMessages);
  const hasMore =
    value.tiers.length > 0 || value.perRequest !== "" || otherNames.some((name) => value.rates[name] !== "");
  const isFaulty = [...otherNames, "perRequest", "tiers"].some(
    (name) => form.errorAt(`${path}.${name}`) !== undefined,
  );
  const changeRates = (rates: RateValues) => onChange({ ...value, rates });
  return (
    <div className="flex flex-col gap-4">
      <RateFields
        form={form}
        path={path}
        names={["input", "output"]}
        value={value.rates}
        onChange={changeRates}
      />
      <More summary={`${t("otherClasses")}, ${t("tiers")}`} wanted={hasMore || isFaulty}>
        <div className="flex flex-col gap-4">
          <RateFields form={form} path={path} names={otherNames} value={value.rates} onChange={changeRates} />
          <FieldGroup
            form={form}
            name={`${path}.perRequest`}
            label={t("perRequest")}
            hint={t("perRequestHint")}
            className="max-w-xs"
          >
            <MoneyInput
              value={value.perRequest}
              placeholder={t("nothing")}
              onChange={(perRequest) => onChange({ ...value, perRequest })}
            />
          </FieldGroup>
          <TierFields
            form={form}
            path={`${path}.tiers`}
            value={value.tiers}
            onChange={(tiers) => onChange({ ...value, tiers })}
          />
        </div>
      </More>
    </div>
  );
}
