/** Where the user is signed in, and ending it. */
import { useMemo } from "react";
import { useApiMutation, useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { profileMessages } from "../../i18n/en/profile.ts";
import type { KeyOf } from "../../i18n/messages.ts";
import { type Translate, useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Unknown, When } from "../../ui/figures.tsx";
import { useConfirm } from "../../ui/overlays/confirm.tsx";
import { toast, toastError } from "../../ui/overlays/toast.tsx";
import { useErrorText } from "../../ui/states.tsx";
import { Badge, Card } from "../../ui/surfaces.tsx";
import { deviceOf } from "./user-agent.ts";

type Row = Answer<"get /sessions">["sessions"][number];

function deviceName(row: Row, t: Translate<KeyOf<typeof profileMessages>>): string {
  const device = deviceOf(row.userAgent ?? "");
  if (device !== undefined) return t("deviceOn", device);
  return row.userAgent ?? t("unknownDevice");
}

/** See above. */
export function SessionsCard() {
  const t = useMessages(profileMessages);
  const errorText = useErrorText();
  const sessions = useApiQuery("get /sessions", {});
  const end = useApiMutation("delete /sessions/{id}");
  const endOthers = useApiMutation("delete /sessions");
  const { ask, question } = useConfirm();
  const { mutate } = end;
  const columns = useMemo(
    (): Column<Row>[] => [
      {
        id: "device",
        header: t("device"),
        cell: (row) => (
          <span className="flex flex-wrap items-center gap-2">
            <span title={row.userAgent ?? undefined}>{deviceName(row, t)}</span>
            {row.isThis && <Badge tone="accent">{t("thisSession")}</Badge>}
          </span>
        ),
      },
      { id: "ip", header: t("address"), cell: (row) => row.ip ?? <Unknown /> },
      { id: "seen", header: t("seen"), cell: (row) => <When at={row.seenAt} /> },
      { id: "since", header: t("since"), cell: (row) => <When at={row.createdAt} as="day" /> },
      {
        id: "end",
        header: "",
        align: "end",
        cell: (row) =>
          !row.isThis && (
            <Button
              size="small"
              aria-label={t("endNamed", { device: deviceName(row, t) })}
              onClick={() =>
                mutate({ params: { id: row.id } }, { onError: (error) => toastError(errorText(error)) })
              }
            >
              {t("end")}
            </Button>
          ),
      },
    ],
    [t, mutate, errorText],
  );
  const rows = sessions.data?.sessions;
  return (
    <Card
      flush
      title={t("sessions")}
      action={
        (rows?.length ?? 0) > 1 && (
          <Button
            size="small"
            onClick={() =>
              ask({
                title: t("endOthersTitle"),
                text: t("endOthersText"),
                act: t("endOthers"),
                onAct: async () => {
                  const { ended } = await endOthers.mutateAsync({});
                  toast(t("ended", { count: ended }));
                },
              })
            }
          >
            {t("endOthers")}
          </Button>
        )
      }
    >
      <DataTable
        label={t("sessions")}
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        skeletonRows={2}
      />
      {question}
    </Card>
  );
}
