/** Everything that is known of a model, beside its tabs: facts, price, limits, health. */
import { formatCount, formatShare } from "../../format/count.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Copyable } from "../../ui/code.tsx";
import { Duration, TokenCount, Unknown, When } from "../../ui/figures.tsx";
import { Card, Facts } from "../../ui/surfaces.tsx";
import { LeftNow } from "./left-now.tsx";
import {
  Capabilities,
  Deprecation,
  Modalities,
  ModelStatus,
  Operations,
  useLimitRows,
} from "./model-facts.tsx";
import { NextPrice, PriceTable } from "./model-price.tsx";
import type { PlazaModel } from "./models.ts";

interface Props {
  readonly model: PlazaModel;
}

/** Facts of the catalog. */
export function FactsCard({ model }: Props) {
  const t = useMessages(plazaMessages);
  const tOperation = useMessages(operationMessages);
  return (
    <Card title={t("facts")}>
      <Facts
        rows={[
          [t("id"), <Copyable key="id" text={model.id} label={t("copyId")} />],
          [t("status"), <ModelStatus key="status" model={model} />],
          [tOperation("operations"), <Operations key="for" model={model} isWhole />],
          [t("family2"), model.family ?? <Unknown key="family" />],
          [t("context"), <Tokens key="context" value={model.context} />],
          [t("maxOutputTokens"), <Tokens key="output" value={model.maxOutput} />],
          [t("modalities"), <Modalities key="kinds" model={model} />],
          [t("capabilities"), <Capabilities key="can" model={model} />],
          [
            t("listedSince"),
            model.createdAt === null ? <Unknown key="at" /> : <When key="at" at={model.createdAt} as="day" />,
          ],
          [
            t("deprecation"),
            model.deprecatedAt === null ? (
              <span key="end" className="text-faint">
                {t("noDeprecation")}
              </span>
            ) : (
              <Deprecation key="end" at={model.deprecatedAt} />
            ),
          ],
        ]}
      />
    </Card>
  );
}

function Tokens({ value }: { readonly value: number | null }) {
  const t = useMessages(plazaMessages);
  if (value === null) return <Unknown />;
  return (
    <>
      <TokenCount value={value} exact /> {t("tokens")}
    </>
  );
}

/** The price of now. */
export function PriceCard({ model }: Props) {
  const t = useMessages(plazaMessages);
  return (
    <Card title={t("price")} action={<NextPrice periods={model.scheduledPrices} />}>
      <PriceTable price={model.price} />
      {model.price !== null && <p className="mt-2 text-small text-faint">{t("priceUnit")}</p>}
    </Card>
  );
}

/** Limits, and what is left of them where a key can ask. */
export function LimitsCard({ model }: Props) {
  const t = useMessages(plazaMessages);
  const { account } = useSession();
  const rows = useLimitRows(model.myLimits);
  return (
    <Card title={t(account === null ? "modelLimits" : "myLimits")}>
      <div className="flex flex-col gap-4">
        <Facts rows={rows} />
        <LeftNow modelId={model.id} />
      </div>
    </Card>
  );
}

/** What was measured in the last 24 hours. */
export function HealthCard({ model }: Props) {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const { health } = model;
  const unmeasured = <span className="text-faint">{t("notMeasured")}</span>;
  return (
    <Card title={t("health")}>
      {health === null ? (
        <p className="text-muted">{t("noTraffic")}</p>
      ) : (
        <Facts
          rows={[
            [t("requests"), <TokenCount key="requests" value={health.requests} exact />],
            [
              t("success"),
              health.successRate === null ? (
                unmeasured
              ) : (
                <span key="success" title={t("successHint")}>
                  {formatShare(health.successRate, language)}
                  {health.counted !== health.requests && (
                    <span className="text-small text-faint">
                      {" "}
                      {t("successOf", { count: health.counted })}
                    </span>
                  )}
                </span>
              ),
            ],
            [
              t("firstTokenP50"),
              health.firstTokenMs === null ? unmeasured : <Duration key="p50" ms={health.firstTokenMs.p50} />,
            ],
            [
              t("firstTokenP95"),
              health.firstTokenMs === null ? unmeasured : <Duration key="p95" ms={health.firstTokenMs.p95} />,
            ],
            [
              t("speed"),
              health.outputTokensPerSecond === null
                ? unmeasured
                : t("perSecond", {
                    count:
                      health.outputTokensPerSecond < 100
                        ? health.outputTokensPerSecond
                        : formatCount(health.outputTokensPerSecond, language),
                  }),
            ],
          ]}
        />
      )}
    </Card>
  );
}
