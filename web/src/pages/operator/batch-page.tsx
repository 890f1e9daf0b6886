/** One batch of codes: how many are open, who redeemed which. Never the codes themselves. */
import { Ban } from "lucide-react";
import { useMemo, useState } from "react";
import { useApiMutation, useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { type Batch, type Code, CodeExpiry, CodeStatus } from "../../features/codes/batch-cells.tsx";
import { formatMoney } from "../../format/money.ts";
import { operatorCodesMessages } from "../../i18n/en/pages/operator-codes.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Money, When } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { useConfirm } from "../../ui/overlays/confirm.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, Facts, PageHeader } from "../../ui/surfaces.tsx";

const drawnStep = 100;

/** See above. */
export function BatchPage() {
  const t = useMessages(operatorCodesMessages);
  const id = useParam("id");
  const batch = useApiQuery("get /operator/code-batches/{id}", { params: { id } });
  return (
    <>
      {batch.data === undefined && (
        <PageHeader title={id} back={{ to: "/operator/codes", label: t("back") }} />
      )}
      <Loaded query={batch}>{(answer) => <BatchView answer={answer} />}</Loaded>
    </>
  );
}

function BatchView({
  answer: { batch, codes },
}: {
  readonly answer: Answer<"get /operator/code-batches/{id}">;
}) {
  const t = useMessages(operatorCodesMessages);
  const open = codes.filter(({ status }) => status === "open").length;
  const title = batch.note === "" ? t("batchTitle", { count: batch.codes }) : batch.note;
  return (
    <>
      <PageHeader
        title={title}
        shown={<bdi>{title}</bdi>}
        back={{ to: "/operator/codes", label: t("back") }}
        actions={open > 0 ? <VoidBatch batch={batch} open={open} /> : undefined}
      >
        <CodeStatus status={batch.status} />
      </PageHeader>
      <div className="flex flex-col gap-5">
        <Card>
          <Facts
            rows={[
              [t("amount"), <Money key="amount" value={batch.amount} exact />],
              [t("redeemed"), t("redeemedOf", { redeemed: batch.redeemed, count: batch.codes })],
              [t("expires"), <CodeExpiry key="expires" at={batch.expiresAt} />],
              [
                t("created"),
                <span key="created">
                  <When at={batch.createdAt} as="exact" />
                  {batch.createdBy !== null && ` ${t("by")} ${batch.createdBy.name}`}
                </span>,
              ],
              ...(batch.voidedAt === null
                ? []
                : [[t("voided"), <When key="voided" at={batch.voidedAt} as="exact" />] as const]),
            ]}
          />
        </Card>
        <CodeTable codes={codes} />
      </div>
    </>
  );
}

function CodeTable({ codes }: { readonly codes: readonly Code[] }) {
  const t = useMessages(operatorCodesMessages);
  const [shown, setShown] = useState(drawnStep);
  const columns = useMemo(
    (): Column<Code>[] => [
      { id: "number", header: t("number"), cell: (code) => <span className="figures">{code.number}</span> },
      {
        id: "end",
        header: t("end"),
        // The last two letters, which only check the others, are not kept.
        cell: (code) => <code className="font-mono text-[0.9em]">…{code.visibleEnd}-••</code>,
      },
      { id: "status", header: t("status"), cell: (code) => <CodeStatus status={code.status} /> },
      {
        id: "account",
        header: t("account"),
        cell: (code) =>
          code.account === null ? (
            "–"
          ) : (
            <Link to={`/operator/accounts/${encodeURIComponent(code.account.id)}?view=ledger`}>
              <bdi>{code.account.name}</bdi>
            </Link>
          ),
      },
      { id: "user", header: t("user"), cell: (code) => <bdi>{code.user?.name ?? "–"}</bdi> },
      {
        id: "when",
        header: t("when"),
        cell: (code) => (code.redeemedAt === null ? "–" : <When at={code.redeemedAt} as="exact" />),
      },
    ],
    [t],
  );
  const visible = useMemo(() => codes.slice(0, shown), [codes, shown]);
  return (
    <Card title={t("codes")} flush>
      <DataTable
        label={t("codes")}
        columns={columns}
        rows={visible}
        rowId={(code) => String(code.number)}
        hasMore={codes.length > shown}
        onMore={() => setShown(shown + drawnStep)}
      />
    </Card>
  );
}

function VoidBatch({ batch, open }: { readonly batch: Batch; readonly open: number }) {
  const t = useMessages(operatorCodesMessages);
  const { ask, question } = useConfirm();
  const voidBatch = useApiMutation("post /operator/code-batches/{id}/void");
  return (
    <>
      <Button
        icon={<Ban aria-hidden className="size-4" />}
        onClick={() =>
          ask({
            title: t("voidTitle"),
            text: t("voidText", { count: open, amount: formatMoney(batch.amount) }),
            act: t("void"),
            danger: true,
            onAct: async () => {
              await voidBatch.mutateAsync({ params: { id: batch.id } });
              toast(t("voided"));
            },
          })
        }
      >
        {t("void")}
      </Button>
      {question}
    </>
  );
}
