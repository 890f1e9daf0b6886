/** The account's keys: search, status, and what can be done with each. */
import { Ellipsis, KeyRound, Plus, Search } from "lucide-react";
import { useMemo } from "react";
import { usePages } from "../../api/queries.ts";
import { nanosOf } from "../../format/money.ts";
import { keysWords } from "../../i18n/en/pages/keys.ts";
import { type KeyOf, type Say, useWords } from "../../i18n/words.ts";
import { useSession } from "../../shell/session.ts";
import { Button, IconButton, Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Money, TokenCount, When } from "../../ui/figures.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/multi-select.tsx";
import { Menu, type MenuEntry } from "../../ui/overlays/overlays.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";
import { LateTextInput } from "../requests/late-text-input.tsx";
import { last30DaysLink } from "../requests/query.ts";
import { type KeyActs, useKeyActs } from "./acts.tsx";
import { KeyPrefix, KeyStatus } from "./cells.tsx";
import { CreateKey } from "./create-key.tsx";
import type { ApiKey } from "./form-values.ts";

const statuses = ["active", "disabled", "expired", "revoked"] as const;
const defaults = { q: "", status: [] as string[], new: "" };

type SayKeys = Say<KeyOf<typeof keysWords>>;

/** The rows behind a key's figures. */
const rowsOf = (key: ApiKey) => last30DaysLink({ key: [key.id] });

function entriesOf(key: ApiKey, acts: KeyActs, say: SayKeys): MenuEntry[] {
  const to = `/keys/${encodeURIComponent(key.id)}`;
  const requests = { label: say("showRequests"), to: rowsOf(key) };
  if (key.status === "revoked") return [{ label: say("show"), to }, requests];
  return [
    { label: say("edit"), to },
    requests,
    key.status === "disabled"
      ? { label: say("switchOn"), onPick: () => acts.switchOn(key) }
      : { label: say("switchOff"), onPick: () => acts.ask("switchOff", key) },
    "line",
    { label: say("revoke"), danger: true, onPick: () => acts.ask("revoke", key) },
  ];
}

function columnsOf(say: SayKeys, acts: KeyActs): readonly Column<ApiKey>[] {
  return [
    {
      id: "name",
      header: say("name"),
      sortBy: (key) => key.name,
      cell: (key) => (
        <bdi className="block max-w-72 truncate" title={key.name}>
          {key.name}
        </bdi>
      ),
    },
    { id: "key", header: say("key"), cell: (key) => <KeyPrefix prefix={key.visiblePrefix} /> },
    {
      id: "status",
      header: say("status"),
      sortBy: (key) => key.status,
      cell: (key) => <KeyStatus status={key.status} />,
    },
    {
      id: "lastUsed",
      header: say("lastUsed"),
      sortBy: (key) => key.lastUsedAt,
      cell: (key) => <When at={key.lastUsedAt} />,
    },
    {
      id: "requests",
      header: say("requests30"),
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
      header: say("spend30"),
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
      header: say("actions"),
      align: "end",
      cell: (key) => (
        <Menu
          trigger={
            <IconButton label={say("acts", { name: key.name })} size="small">
              <Ellipsis aria-hidden className="size-4" />
            </IconButton>
          }
          entries={entriesOf(key, acts, say)}
        />
      ),
    },
  ];
}

/** See above. */
export function KeysPage() {
  const say = useWords(keysWords);
  const { account } = useSession();
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const acts = useKeyActs();
  const status = statuses.filter((one) => values.status.includes(one));
  const query = {
    limit: 50,
    ...(values.q.trim() === "" ? {} : { search: values.q }),
    ...(status.length === 0 ? {} : { status }),
  };
  const pages = usePages("get /keys", { query }, (page) => page.keys, { keep: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the acts do the same at every drawing.
  const columns = useMemo(() => columnsOf(say, acts), [say]);
  const isNarrowed = values.q !== "" || status.length > 0;
  const create = (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => set({ new: "1" })}>
      {say("create")}
    </Button>
  );
  return (
    <>
      <PageHeader title={say("title")} actions={create}>
        {say("lead")} {account?.role === "member" && say("leadMember")}
      </PageHeader>
      <FilterBar isFiltered={isFiltered && isNarrowed} onClear={clear}>
        <LateTextInput
          label={say("searchKeys")}
          className="sm:w-80"
          icon={<Search aria-hidden className="size-4" />}
          maxLength={200}
          value={values.q}
          onChange={(q) => set({ q })}
        />
        <MultiSelect
          label={say("status")}
          emptyText={say("allStatuses")}
          className="sm:w-40"
          value={values.status}
          choices={statuses.map((value) => ({ value, label: say(`status.${value}`) }))}
          onChange={(next) => set({ status: next })}
        />
      </FilterBar>
      <Card flush>
        <DataTable
          label={say("title")}
          columns={columns}
          pages={pages}
          rowId={(key) => key.id}
          rowTo={(key) => `/keys/${encodeURIComponent(key.id)}`}
          empty={
            isNarrowed ? (
              <EmptyState title={say("noMatches")} />
            ) : (
              <EmptyState icon={<KeyRound />} title={say("emptyTitle")} action={create}>
                {say("emptyText")}
              </EmptyState>
            )
          }
        />
      </Card>
      <CreateKey open={values.new !== ""} onClose={() => set({ new: "" })} />
      {acts.dialog}
    </>
  );
}
