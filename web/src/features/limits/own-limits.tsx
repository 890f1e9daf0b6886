/**
 * Accounts, keys and models with limits of their own: every limit in force
 * beside those of all, found by one search.
 */

import { operatorLimitsMessages } from "../../i18n/en/pages/operator-limits.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import type { Limits } from "./columns.tsx";
import { type CatalogModel, LimitedModels } from "./limited-models.tsx";
import { LimitedAccounts, LimitedKeys } from "./limited-tables.tsx";

const defaults = { q: "" };

interface OwnLimitsProps {
  /** Of every account without its own. */
  readonly limits: Limits;
  readonly models: readonly CatalogModel[];
}

/** See above. */
export function OwnLimits({ limits, models }: OwnLimitsProps) {
  const t = useMessages(operatorLimitsMessages);
  const { values, set } = useFilters(defaults);
  const search = values.q.trim();
  return (
    <section className="mt-8 flex flex-col gap-5">
      <div>
        <h2 className="text-xl font-semibold tracking-tight">{t("title")}</h2>
        <p className="mt-1 max-w-3xl text-muted">{t("lead")}</p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox label={t("search")} className="sm:w-96" value={values.q} onChange={(q) => set({ q })} />
        <Link to="/operator/upstreams" variant="plain" size="small">
          {t("upstreams")}
        </Link>
        <Link to="/operator/health" variant="plain" size="small">
          {t("health")}
        </Link>
      </div>
      <LimitedAccounts search={search} limits={limits} />
      <LimitedKeys search={search} />
      <LimitedModels search={search} models={models} />
    </section>
  );
}
