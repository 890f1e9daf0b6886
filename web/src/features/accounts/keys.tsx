/** Keys of an account as the operator sees them; the one act here is to revoke. */
import { Ban } from "lucide-react";
import { useMemo, useState } from "react";
import { useApiMutation, useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Money, When } from "../../ui/figures.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { KeyLabels, KeyStatus } from "../keys/cells.tsx";
import { last30DaysLink } from "../requests/query.ts";
import { LabelSelects } from "../usage/label-selects.tsx";

type Key = Answer<"get /operator/accounts/{id}/keys">["keys"][number];

const defaults = { key: "", project: [] as string[], tag: [] as string[] };

/** See above. */
export function AccountKeys({ accountId }: { readonly accountId: string }) {
  const t = useMessages(operatorAccountsMessages);
  const tKeys = useMessages(keysMessages);
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const search = values.key.trim();
  const query = {
    ...(search === "" ? {} : { search }),
    ...(values.project.length === 0 ? {} : { project: [...values.project] }),
    ...(values.tag.length === 0 ? {} : { tag: [...values.tag] }),
  };
  const pages = useApiPages(
    "get /operator/accounts/{id}/keys",
    { params: { id: accountId }, query },
    (page) => page.keys,
    { keep: true },
  );
  const columns = useKeyColumns(setRevoking);
  return (
    <>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SearchBox label={t("keySearch")} value={values.key} onChange={(key) => set({ key })} />
        <LabelSelects values={values} set={set} of={{ accounts: [accountId] }} />
      </FilterBar>
      <Card flush>
        <DataTable
          label={t("keys")}
          columns={columns}
          pages={pages}
          rowId={(key) => key.id}
          empty={<EmptyState title={isFiltered ? tKeys("noMatches") : t("noKeys")} />}
        />
      </Card>
      {revoking !== null && (
        <RevokeDialog accountId={accountId} apiKey={revoking} onClose={() => setRevoking(null)} />
      )}
    </>
  );
}

function useKeyColumns(onRevoke: (key: Key) => void): Column<Key>[] {
  const t = useMessages(operatorAccountsMessages);
  return useMemo(
    () => [
      {
        id: "key",
        header: t("key"),
        cell: (key) => (
          <span className="block max-w-64">
            <bdi className="block">{key.name}</bdi>
            <code className="font-mono text-small font-normal text-muted">{key.visiblePrefix}…</code>
            <span className="font-normal">
              <KeyLabels apiKey={key} />
            </span>
          </span>
        ),
      },
      { id: "status", header: t("status"), cell: (key) => <KeyStatus status={key.status} /> },
      {
        id: "models",
        header: t("models"),
        cell: (key) =>
          key.models === null ? (
            t("allModels")
          ) : (
            <span title={key.models.join(", ")}>{key.models.length}</span>
          ),
      },
      {
        id: "charge",
        header: t("charge30"),
        align: "end",
        cell: (key) => (
          <Link to={last30DaysLink({ key: [key.id] }, "/operator/requests")}>
            <Money value={key.last30Days.charge} />
          </Link>
        ),
      },
      { id: "used", header: t("lastUsed"), cell: (key) => <When at={key.lastUsedAt} /> },
      {
        id: "by",
        header: t("createdBy"),
        cell: (key) => (
          <span>
            <bdi>{key.createdBy?.name ?? t("commandLine")}</bdi>
            <span className="block text-small text-faint">
              <When at={key.createdAt} as="day" />
            </span>
          </span>
        ),
      },
      {
        id: "act",
        header: "",
        align: "end",
        cell: (key) =>
          key.status === "revoked" ? null : (
            <Button
              size="small"
              variant="quiet"
              icon={<Ban aria-hidden className="size-4" />}
              onClick={() => onRevoke(key)}
            >
              {t("revoke")}
            </Button>
          ),
      },
    ],
    [t, onRevoke],
  );
}

interface RevokeDialogProps {
  readonly accountId: string;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

function RevokeDialog({ accountId, apiKey, onClose }: RevokeDialogProps) {
  const t = useMessages(operatorAccountsMessages);
  const revoke = useApiMutation("post /operator/accounts/{id}/keys/{keyId}/revoke");
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("revokeTitle", { name: apiKey.name })}
      act={t("revoke")}
      danger
      onAct={async () => {
        await revoke.mutateAsync({ params: { id: accountId, keyId: apiKey.id } });
        toast(t("revoked"));
      }}
    >
      <p>{t("revokeText", { prefix: apiKey.visiblePrefix })}</p>
    </ConfirmDialog>
  );
}
