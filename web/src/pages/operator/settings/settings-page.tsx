/** Settings of the installation, and tokens of automation. */
import { useAnswer } from "../../../api/queries.ts";
import { operatorSettingsWords } from "../../../i18n/en/pages/operator-settings.ts";
import { useWords } from "../../../i18n/words.ts";
import { useSession } from "../../../shell/session.ts";
import { Copyable } from "../../../ui/code.tsx";
import { useFilters } from "../../../ui/filter-bar.tsx";
import { Tabs } from "../../../ui/overlays/overlays.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { Card, Facts, PageHeader } from "../../../ui/surfaces.tsx";
import { keptDays } from "../audit/kept-days.ts";
import { BootSettings } from "./boot-settings.tsx";
import { InstallationForm } from "./installation-form.tsx";
import { TokenList } from "./token-list.tsx";

const defaults = { view: "" };

/** See above. */
export function SettingsPage() {
  const say = useWords(operatorSettingsWords);
  const { values, set } = useFilters(defaults);
  return (
    <>
      <PageHeader title={say("title")}>{say("lead")}</PageHeader>
      <Tabs
        label={say("tabs")}
        value={values.view}
        onChange={(view) => set({ view })}
        tabs={[
          { value: "", label: say("tabInstallation"), content: <InstallationTab /> },
          { value: "boot", label: say("tabBoot"), content: <BootSettings /> },
          { value: "tokens", label: say("tabTokens"), content: <TokenList /> },
        ]}
      />
    </>
  );
}

function InstallationTab() {
  const say = useWords(operatorSettingsWords);
  const { installation } = useSession();
  const settings = useAnswer("get /operator/settings", {});
  return (
    <div className="flex max-w-4xl flex-col gap-5">
      <Loaded query={settings}>{(value) => <InstallationForm settings={value} />}</Loaded>
      <Card title={say("about")}>
        <Facts
          rows={[
            [say("version"), installation.version],
            [say("baseUrl"), <Copyable key="url" text={installation.baseUrl} />],
            [
              say("auditKept"),
              settings.data === undefined
                ? "–"
                : say("auditKeptDays", { count: keptDays(settings.data.auditKeptMs) }),
            ],
            [say("oidc"), installation.oidc?.name ?? <span className="text-muted">{say("noOidc")}</span>],
          ]}
        />
      </Card>
    </div>
  );
}
