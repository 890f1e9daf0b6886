/**
 * How a request's charge came about: tokens by class, the price of then,
 * each line and the sum. Knows no page.
 */
import type { ReactNode } from "react";
import type { Answer } from "../../api/routes.ts";
import { formatCount } from "../../format/count.ts";
import { compareMoney, formatMoney } from "../../format/money.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Money, TokenCount, When } from "../../ui/figures.tsx";
import { Badge, Card, Notice } from "../../ui/surfaces.tsx";
import { type ChargeSum, chargeSum, classTokens } from "./charge-lines.ts";

type Detail = Answer<"get /requests/{id}">;

/**
 * The usage, its source, and the charge line by line. `children`: further rows, such as the operator's cost.
 */
export function ChargeCard({
  request,
  children,
}: {
  readonly request: Detail;
  readonly children?: ReactNode;
}) {
  const t = useMessages(requestsMessages);
  return (
    <Card title={t("usageAndCharge")} action={<SourceBadge source={request.usageSource} />}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {t(
            request.usageSource === "exact"
              ? "usageExactText"
              : request.usageSource === "estimated"
                ? "usageEstimatedText"
                : "usageNoneText",
          )}
        </p>
        <Lines request={request} />
        {compareMoney(request.loss, "0") !== 0 && (
          <Notice tone="warn" title={`${t("loss")}: ${formatMoney(request.loss, "exact")}`}>
            {t("lossText")}
          </Notice>
        )}
        {children}
      </div>
    </Card>
  );
}

function SourceBadge({ source }: { readonly source: Detail["usageSource"] }) {
  const t = useMessages(requestsMessages);
  if (source === "exact") return <Badge tone="good">{t("usageExact")}</Badge>;
  if (source === "estimated") return <Badge tone="warn">{t("usageEstimated")}</Badge>;
  return <Badge>{t("usageNone")}</Badge>;
}

function Lines({ request }: { readonly request: Detail }) {
  const t = useMessages(requestsMessages);
  const price = request.price?.price ?? null;
  if (price === null) {
    return (
      <>
        <TokensOnly request={request} />
        <p className="text-muted">
          {t("noPrice")} {t("charged")}: <Money value={request.charge} exact />
        </p>
      </>
    );
  }
  const sum = chargeSum(request, price);
  const isSame = compareMoney(sum.charge, request.charge) === 0;
  if (sum.lines.length === 0 && compareMoney(request.charge, "0") === 0) {
    return (
      <p>
        {t("charged")}: <Money value={request.charge} exact />
      </p>
    );
  }
  return (
    <>
      <SumTable sum={sum} charge={request.charge} />
      {!isSame && (
        <Notice tone="neutral">{t("linesDiffer", { charge: formatMoney(request.charge, "exact") })}</Notice>
      )}
      <PriceNote request={request} sum={sum} />
    </>
  );
}

function TokensOnly({ request }: { readonly request: Detail }) {
  const t = useMessages(requestsMessages);
  const classes = classTokens(request);
  if (classes.length === 0) return null;
  return (
    <dl className="grid w-fit grid-cols-[auto_auto] gap-x-6 gap-y-1">
      {classes.map((line) => (
        <div key={line.class} className="contents">
          <dt className="text-muted">{t(`class.${line.class}`)}</dt>
          <dd className="text-right">
            <TokenCount value={line.tokens} exact />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const cell = "py-1.5 pl-4 text-right whitespace-nowrap first:pl-0 first:text-left";

/** An exact amount with all its decimals. */
function dollars(amount: string): string {
  return amount === "0" ? "$0.00" : `$${amount}`;
}

function SumTable({ sum, charge }: { readonly sum: ChargeSum; readonly charge: string }) {
  const t = useMessages(requestsMessages);
  const language = useLanguage();
  const foot = (label: string, amount: string) => (
    <tr className="border-t border-line">
      <th scope="row" colSpan={3} className="py-1.5 text-left font-normal text-muted">
        {label}
      </th>
      <td className={cell}>{amount}</td>
    </tr>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard.
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="figures w-full border-collapse" aria-label={t("usageAndCharge")}>
        <thead className="text-small text-muted">
          <tr>
            {[t("class"), t("tokens"), t("rate"), t("amount")].map((head) => (
              <th key={head} scope="col" className={`${cell} font-medium max-sm:whitespace-normal`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sum.lines.map((line) => (
            <tr key={line.class} className="border-t border-line">
              <th scope="row" className={`${cell} font-normal`}>
                {t(`class.${line.class}`)}
              </th>
              <td className={cell}>{formatCount(line.tokens, language)}</td>
              <td className={cell}>
                {compareMoney(line.rate, "0") === 0 ? t("free") : formatMoney(line.rate, "exact")}
              </td>
              <td className={cell}>{dollars(line.amount)}</td>
            </tr>
          ))}
          {sum.lines.length > 1 &&
            dollars(sum.sum) !== formatMoney(charge, "exact") &&
            foot(t("sum"), dollars(sum.sum))}
          {sum.perRequest !== undefined && foot(t("perRequest"), formatMoney(sum.perRequest, "exact"))}
          {sum.isRounded && foot(t("roundedUp"), formatMoney(sum.charge, "exact"))}
        </tbody>
        <tfoot>
          <tr className="border-t-2 border-line font-semibold">
            <th scope="row" colSpan={3} className="py-2 text-left">
              {t("charged")}
            </th>
            <td className={cell}>{formatMoney(charge, "exact")}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function PriceNote({ request, sum }: { readonly request: Detail; readonly sum: ChargeSum }) {
  const t = useMessages(requestsMessages);
  const language = useLanguage();
  if (request.price === null) return null;
  const [before = "", after = ""] = t("priceFrom", { time: "\u0000" }).split("\u0000");
  return (
    <p className="text-small text-muted">
      {before}
      <When at={request.price.validFrom} as="exact" />
      {after} · {t("priceId", { id: request.price.id })}
      {sum.tierAbove !== undefined && ` · ${t("tier", { tokens: formatCount(sum.tierAbove, language) })}`}
    </p>
  );
}
