/** The account's keys: search, status, and what can be done with each. */
import { Ellipsis, KeyRound } from "lucide-react";
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import { type KeyActs, useKeyActs } from "../../features/keys/acts.tsx";
import { KeyLabels, KeyPrefix, KeyStatus } from "../../features/keys/cells.tsx";
import type { ApiKey } from "../../features/keys/form-values.ts";
import { last30DaysLink } from "../../features/requests/query.ts";
import { LabelSelects } from "../../features/usage/label-selects.tsx";
import { nanosOf } from "../../format/money.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { IconButton, Link } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money, TokenCount, When } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import type { MenuEntry } from "../../ui/overlays/menu-props.ts";
import { ResourceList } from "../../ui/resource-list.tsx";

// Forms load after the page.
const { Part: CreateKey } = lazyPart(() =>
  import("../../features/keys/create-key.tsx").then((file) => file.CreateKey),
);

const statuses = ["active", "disabled", "expired", "revoked"] as const;
const defaults = {
  ...{ q: "", status: [] as string[], new: "" },
  ...{ project: [] as string[], tag: [] as string[] },
};

type TranslateKeys = Translate<KeyOf<typeof keysMessages>>;

/** The rows behind a key's figures. */
const rowsOf = (key: ApiKey) => last30DaysLink({ key: [key.id] });

function entriesOf(key: ApiKey, acts: KeyActs, t: TranslateKeys): MenuEntry[] {
  const to = `/keys/${encodeURIComponent(key.id)}`;
  const requests = { label: t("showRequests"), to: rowsOf(key) };
  if (key.status === "revoked") return [{ label: t("show"), to }, requests];
  return [
    { label: t("edit"), to },
    requests,
    key.status === "disabled"
      ? { label: t("switchOn"), onPick: () => acts.switchOn(key) }
      : { label: t("switchOff"), onPick: () => acts.ask("switchOff", key) },
    "line",
    { label: t("revoke"), danger: true, onPick: () => acts.ask("revoke", key) },
  ];
}

function columnsOf(t: TranslateKeys, acts: KeyActs): readonly Column<ApiKey>[] {
  return [
    {
      id: "name",
      header: t("name"),
      sortBy: (key) => key.name,
      cell: (key) => (
        <span className="block max-w-72">
          <bdi className="block truncate" title={key.name}>
            {key.name}
          </bdi>
          <KeyLabels apiKey={key} />
        </span>
      ),
    },
    { id: "key", header: t("key"), cell: (key) => <KeyPrefix prefix={key.visiblePrefix} /> },
    {
      id: "status",
      header: t("status"),
      sortBy: (key) => key.status,
      cell: (key) => <KeyStatus status={key.status} />,
    },
    {
      id: "lastUsed",
      header: t("lastUsed"),
      sortBy: (key) => key.lastUsedAt,
      cell: (key) => <When at={key.lastUsedAt} />,
    },
    {
      id: "requests",
      header: t("requests30"),
      align: "end",
      sortBy: (key) => key.last30Days.requests,
      cell: (key) => (
        <Link to={rowsOf(key)}>
          <TokenCount value={key.last30Days.requests} exact />
        </Link>
      ),
    },
    {
      id: "charge",
      header: t("spend30"),
      align: "end",
      sortBy: (key) => nanosOf(key.last30Days.charge),
      cell: (key) => (
        <Link to={rowsOf(key)}>
          <Money value={key.last30Days.charge} />
        </Link>
      ),
    },
    {
      id: "acts",
      header: t("actions"),
      align: "end",
      cell: (key) => (
        <Menu
          trigger={
            <IconButton label={t("acts", { name: key.name })} size="small">
              <Ellipsis aria-hidden className="size-4" />
            </IconButton>
          }
          entries={entriesOf(key, acts, t)}
        />
      ),
    },
  ];
}

/** See above. */
export function KeysPage() {
  const t = useMessages(keysMessages);
  const { account } = useSession();
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const acts = useKeyActs();
  const status = statuses.filter((one) => values.status.includes(one));
  const query = {
    limit: 50,
    ...(values.q.trim() === "" ? {} : { search: values.q }),
    ...(status.length === 0 ? {} : { status }),
    ...(values.project.length === 0 ? {} : { project: [...values.project] }),
    ...(values.tag.length === 0 ? {} : { tag: [...values.tag] }),
  };
  const pages = useApiPages("get /keys", { query }, (page) => page.keys, { keep: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the acts do the same at every drawing.
  const columns = useMemo(() => columnsOf(t, acts), [t]);
  const isNarrowed = [values.q, status, values.project, values.tag].some((one) => one.length > 0);
  return (
    <ResourceList
      title={t("title")}
      lead={
        <>
          {t("lead")} {account?.role === "member" && t("leadMember")}
        </>
      }
      create={{ label: t("create"), onPress: () => set({ new: "1" }) }}
      isFiltered={isFiltered && isNarrowed}
      onClear={clear}
      filters={[
        <SearchBox
          key="q"
          label={t("searchKeys")}
          className="sm:w-80"
          value={values.q}
          onChange={(q) => set({ q })}
        />,
        <MultiSelect
          key="status"
          label={t("status")}
          emptyText={t("allStatuses")}
          className="sm:w-40"
          value={values.status}
          choices={statuses.map((value) => ({ value, label: t(`status.${value}`) }))}
          onChange={(next) => set({ status: next })}
        />,
        <LabelSelects key="labels" values={values} set={set} of="own" />,
      ]}
      columns={columns}
      pages={pages}
      rowId={(key) => key.id}
      rowTo={(key) => `/keys/${encodeURIComponent(key.id)}`}
      noMatch={t("noMatches")}
      none={{ title: t("emptyTitle"), text: t("emptyText"), icon: <KeyRound /> }}
    >
      <CreateKey open={values.new !== ""} onClose={() => set({ new: "" })} />
      {acts.dialog}
    </ResourceList>
  );
}
