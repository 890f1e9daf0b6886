/** Settings of the installation, and tokens of automation. */
import { useApiQuery } from "../../api/queries.ts";
import { keptDays } from "../../features/audit/detail.ts";
import { BootSettings } from "../../features/settings/boot-settings.tsx";
import { LastApply } from "../../features/settings/last-apply.tsx";
import { TokenList } from "../../features/settings/token-list.tsx";
import { operatorSettingsMessages } from "../../i18n/en/pages/operator-settings.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Copyable } from "../../ui/code.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, Facts, PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Forms load after the page.
const { Part: InstallationForm } = lazyPart(() =>
  import("../../features/settings/installation-form.tsx").then((file) => file.InstallationForm),
);

const defaults = { view: "" };

/** See above. */
export function SettingsPage() {
  const t = useMessages(operatorSettingsMessages);
  const { values, set } = useFilters(defaults);
  return (
    <>
      <PageHeader title={t("title")}>{t("lead")}</PageHeader>
      <Tabs
        label={t("tabs")}
        value={values.view}
        onChange={(view) => set({ view })}
        tabs={[
          { value: "", label: t("tabInstallation"), content: <InstallationTab /> },
          { value: "boot", label: t("tabBoot"), content: <BootSettings /> },
          { value: "tokens", label: t("tabTokens"), content: <TokenList /> },
        ]}
      />
    </>
  );
}

function InstallationTab() {
  const t = useMessages(operatorSettingsMessages);
  const { installation } = useSession();
  const settings = useApiQuery("get /operator/settings", {});
  return (
    <div className="flex max-w-4xl flex-col gap-5">
      <Loaded query={settings}>{(value) => <InstallationForm settings={value} />}</Loaded>
      <LastApply />
      <Card title={t("about")}>
        <Facts
          rows={[
            [t("version"), installation.version],
            [t("baseUrl"), <Copyable key="url" text={installation.baseUrl} />],
            [
              t("auditKept"),
              settings.data === undefined
                ? "–"
                : t("auditKeptDays", { count: keptDays(settings.data.auditKeptMs) }),
            ],
            [t("oidc"), installation.oidc?.name ?? <span className="text-muted">{t("noOidc")}</span>],
          ]}
        />
      </Card>
    </div>
  );
}
