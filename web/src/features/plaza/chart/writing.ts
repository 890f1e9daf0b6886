/** How the chart's values are written, on its axes and in texts. */
import { useMemo } from "react";
import { formatCount, formatShare } from "../../../format/count.ts";
import { formatMoney } from "../../../format/money.ts";
import { formatDuration } from "../../../format/time.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaChartMessages } from "../../../i18n/en/pages/plaza-chart.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import type { PlazaModel } from "../models.ts";
import type { PriceAxis, SpeedAxis } from "./points.ts";

/** How values are written, on axes and in texts. */
export interface Writing {
  readonly price: (dollars: number) => string;
  readonly speed: (value: number) => string;
  /** A speed without its unit, for the axis. */
  readonly axis: (value: number) => string;
  readonly success: (model: PlazaModel) => string;
  readonly priceName: string;
  readonly speedName: string;
}

/** For these axes, in the language of the page. */
export function useWriting(priceAxis: PriceAxis, speedAxis: SpeedAxis): Writing {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const tChart = useMessages(plazaChartMessages);
  const language = useLanguage();
  return useMemo(
    () => ({
      price: (dollars) => (dollars === 0 ? t("free") : formatMoney(dollars.toFixed(9).replace(/0+$/, "0"))),
      speed: (value) =>
        speedAxis === "first"
          ? formatDuration(value, language)
          : t("perSecond", { count: formatCount(value, language) }),
      axis: (value) =>
        speedAxis === "first" ? formatDuration(value, language) : formatCount(value, language),
      success: ({ health }) =>
        health?.successRate == null ? t("notMeasured") : formatShare(health.successRate, language),
      priceName: tList(priceAxis === "input" ? "price" : "outputPrice"),
      speedName: speedAxis === "first" ? t("firstTokenP50") : tChart("bySpeed"),
    }),
    [t, tList, tChart, language, priceAxis, speedAxis],
  );
}
