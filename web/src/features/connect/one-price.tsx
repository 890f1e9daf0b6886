/** One price for all new models without one: for self-hosted servers, whose models have no public price. */
import { useState } from "react";
import { connectMessages } from "../../i18n/en/connect.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Choosing, type Proposal, priceState, unpriced, withPriceForAll } from "./choosing.ts";
import { TypedPriceFields } from "./proposal-row.tsx";

export interface OnePriceProps {
  readonly models: readonly Proposal[];
  readonly choosing: Choosing;
  readonly onChange: (choosing: Choosing) => void;
}

/** Nothing where fewer than two are without a price. */
export function OnePrice({ models, choosing, onChange }: OnePriceProps) {
  const t = useMessages(connectMessages);
  const [price, setPrice] = useState({ input: "", output: "" });
  const count = unpriced(models).length;
  if (count < 2) return null;
  return (
    <details className="rounded-xl border border-line px-4 py-3">
      <summary className="font-medium">{t("onePrice", { count })}</summary>
      <div className="mt-3 flex flex-col gap-3">
        <p className="text-muted">{t("noPriceText")}</p>
        <TypedPriceFields value={price} onChange={setPrice} />
        <div>
          <Button
            disabled={priceState(price) !== "ok"}
            onClick={() => onChange(withPriceForAll(choosing, models, price))}
          >
            {t("onePriceAct")}
          </Button>
        </div>
      </div>
    </details>
  );
}
