/** One model an upstream offers: whether it is taken, what it costs and who says so. */
import { useState } from "react";
import { formatShortCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { connectMessages } from "../../i18n/en/connect.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { MoneyInput } from "../../ui/inputs/inputs.tsx";
import { Badge } from "../../ui/surfaces.tsx";
import { atListPrice, type Choosing, type Proposal, priceState, toggled, withPrice } from "./choosing.ts";

export interface ProposalRowProps {
  readonly proposal: Proposal;
  readonly choosing: Choosing;
  readonly onChange: (choosing: Choosing) => void;
}

/** See above. */
export function ProposalRow({ proposal, choosing, onChange }: ProposalRowProps) {
  const name = proposal.upstreamModel;
  const typed = choosing.prices[name];
  const [asksPrice, setAsksPrice] = useState(false);
  const isEditing = asksPrice || typed !== undefined;
  const needsPrice = !proposal.isPriced && proposal.action === "add";
  return (
    <li className="flex flex-col gap-2 px-4 py-2.5">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-1.5">
        <div className="min-w-48 flex-1">
          <Checkbox
            label={<span className="font-medium">{proposal.id}</span>}
            value={choosing.names.has(name)}
            onChange={(isChosen) => onChange(toggled(choosing, name, isChosen))}
            hint={<Notes proposal={proposal} />}
          />
        </div>
        <div className="text-body sm:text-right">
          {proposal.price !== null ? (
            <Price proposal={proposal} />
          ) : needsPrice && !isEditing ? (
            <MissingPrice
              proposal={proposal}
              isTaken={choosing.atListPrice.has(name)}
              onTake={() => onChange(atListPrice(choosing, [proposal]))}
              onType={() => setAsksPrice(true)}
            />
          ) : null}
        </div>
      </div>
      {needsPrice && isEditing && (
        <div className="pl-7">
          <TypedPriceFields
            value={typed ?? { input: "", output: "" }}
            onChange={(price) => onChange(withPrice(choosing, name, price))}
          />
        </div>
      )}
    </li>
  );
}

interface MissingPriceProps {
  readonly proposal: Proposal;
  /** The maker's price is taken. */
  readonly isTaken: boolean;
  readonly onTake: () => void;
  readonly onType: () => void;
}

function MissingPrice({ proposal, isTaken, onTake, onType }: MissingPriceProps) {
  const t = useMessages(connectMessages);
  const { listPrice } = proposal;
  return (
    <span className="flex flex-col gap-1 sm:items-end">
      {!isTaken && (
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone="warn" title={t("noPriceText")}>
            {t("noPrice")}
          </Badge>
          <Button size="small" onClick={onType}>
            {t("setPrice")}
          </Button>
        </span>
      )}
      {listPrice !== null && (
        <span className="flex flex-wrap items-center gap-2">
          <span className="figures">
            {t("listPrice", {
              input: formatMoney(listPrice.price.input),
              output: formatMoney(listPrice.price.output),
            })}
          </span>
          {!isTaken && (
            <Button size="small" onClick={onTake}>
              {t("useListPrice")}
            </Button>
          )}
        </span>
      )}
      {listPrice !== null && (
        <span className="text-tiny text-muted">
          {t("sourceText", {
            name: listPrice.source.name,
            date: listPrice.source.date ?? t("noDate"),
          })}
          {listPrice.source.isOld && <span className="block text-warn">{t("oldPrice")}</span>}
        </span>
      )}
    </span>
  );
}

function Notes({ proposal }: { readonly proposal: Proposal }) {
  const t = useMessages(connectMessages);
  const tOperation = useMessages(operationMessages);
  const notes = [
    proposal.name === proposal.id ? undefined : proposal.name,
    proposal.id === proposal.upstreamModel ? undefined : t("calledThere", { name: proposal.upstreamModel }),
    proposal.context === null ? undefined : `${t("context")} ${formatShortCount(proposal.context)}`,
    proposal.action === "deploy" ? t("joins") : undefined,
    proposal.operations.every((name) => name === "chat")
      ? undefined
      : proposal.operations.map((name) => tOperation(`operation.${name}`)).join(", "),
    proposal.isDeprecated ? t("deprecated") : undefined,
  ].filter((note) => note !== undefined);
  return notes.join(" · ");
}

function Price({ proposal }: { readonly proposal: Proposal }) {
  const t = useMessages(connectMessages);
  const { price, priceSource, laterPrices } = proposal;
  if (price === null) return null;
  const source =
    priceSource === null
      ? undefined
      : t("sourceText", { name: priceSource.name, date: priceSource.date ?? t("noDate") });
  return (
    <>
      <span className="figures block">
        {t("input")} {formatMoney(price.input)} · {t("output")} {formatMoney(price.output)}
      </span>
      {laterPrices.map((later) => (
        <span key={later.validFrom} className="figures block text-tiny">
          {t("laterPrice", {
            date: later.validFrom,
            input: formatMoney(later.input),
            output: formatMoney(later.output),
          })}
        </span>
      ))}
      <span className="block text-tiny text-muted">
        {source}
        {priceSource?.isOld === true && <span className="block text-warn">{t("oldPrice")}</span>}
        {proposal.isOtherSpelling && <span className="block text-warn">{t("otherSpelling")}</span>}
      </span>
    </>
  );
}

export interface TypedPriceFieldsProps {
  readonly value: { readonly input: string; readonly output: string };
  readonly onChange: (price: { input: string; output: string }) => void;
}

/** Input and output price, as typed. */
export function TypedPriceFields({ value, onChange }: TypedPriceFieldsProps) {
  const t = useMessages(connectMessages);
  const state = priceState(value);
  const error = state === "partial" || state === "bad" ? t("pricePartial") : undefined;
  return (
    <div className="grid max-w-lg gap-3 sm:grid-cols-2">
      <Field label={t("input")} hint={t("price")} error={error}>
        <MoneyInput value={value.input} onChange={(input) => onChange({ ...value, input })} />
      </Field>
      <Field label={t("output")} hint={t("price")}>
        <MoneyInput value={value.output} onChange={(output) => onChange({ ...value, output })} />
      </Field>
    </div>
  );
}
