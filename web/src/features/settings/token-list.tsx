/** Operator tokens: what each may do, when it was used, how to end it. */
import { Plus } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useApiMutation, useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useConfirm } from "../../ui/overlays/confirm.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Badge, Card, StatusBadge, type Tone } from "../../ui/surfaces.tsx";

// Forms load after the page.
const { Part: CreateToken } = lazyPart(() => import("./create-token.tsx").then((file) => file.CreateToken));

type Token = Answer<"get /operator/tokens">["tokens"][number];
type TokenStatus = "active" | "expired" | "revoked";

const tones: Record<TokenStatus, Tone> = { active: "good", expired: "neutral", revoked: "neutral" };

function statusOf(token: Token, nowMs: number): TokenStatus {
  if (token.revokedAt !== null || token.isEnded) return "revoked";
  return token.expiresAt !== null && Date.parse(token.expiresAt) <= nowMs ? "expired" : "active";
}

function useTokenColumns(onRevoke: (token: Token) => void): Column<Token>[] {
  const t = useMessages(operatorUsersMessages);
  return useMemo(
    () => [
      {
        id: "token",
        header: t("token"),
        cell: (token) => (
          <span className="block">
            <bdi>{token.name}</bdi>
            <code className="block font-mono text-small font-normal text-muted">{token.visiblePrefix}…</code>
          </span>
        ),
      },
      {
        id: "status",
        header: t("status"),
        cell: (token) => {
          const status = statusOf(token, Date.now());
          return (
            <span>
              <StatusBadge tone={tones[status]}>{t(`token.${status}`)}</StatusBadge>
              <span className="block text-small text-faint">
                {token.expiresAt === null ? (
                  t("neverExpires")
                ) : (
                  <>
                    {t("expiresAt")} <When at={token.expiresAt} as="day" />
                  </>
                )}
              </span>
            </span>
          );
        },
      },
      {
        id: "scopes",
        header: t("scopes"),
        cell: (token) => (
          <span className="flex max-w-md flex-wrap gap-1">
            {token.scopes.map((scope) => (
              <Badge key={scope} title={t(`scope.${scope}`)}>
                {scope}
              </Badge>
            ))}
          </span>
        ),
      },
      { id: "used", header: t("used"), cell: (token) => <When at={token.usedAt} /> },
      {
        id: "created",
        header: t("created"),
        cell: (token) => (
          <span>
            <When at={token.createdAt} as="day" />
            {token.createdBy !== null && (
              <span className="block text-small text-faint">{token.createdBy}</span>
            )}
          </span>
        ),
      },
      {
        id: "act",
        header: "",
        align: "end",
        cell: (token) =>
          token.revokedAt === null && (
            <Button size="small" variant="quiet" onClick={() => onRevoke(token)}>
              {t("revoke")}
            </Button>
          ),
      },
    ],
    [t, onRevoke],
  );
}

/** See above. */
export function TokenList() {
  const t = useMessages(operatorUsersMessages);
  const [isMaking, setMaking] = useState(false);
  const { ask, question } = useConfirm();
  const pages = useApiPages("get /operator/tokens", {}, (page) => page.tokens);
  const { mutateAsync } = useApiMutation("delete /operator/tokens/{id}");
  const askToRevoke = useCallback(
    ({ id, name }: Token) =>
      ask({
        title: t("revokeTitle", { name }),
        text: t("revokeText"),
        act: t("revoke"),
        danger: true,
        onAct: async () => {
          await mutateAsync({ params: { id } });
          toast(t("revoked"));
        },
      }),
    [t, ask, mutateAsync],
  );
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-2xl text-muted">{t("tokensText")}</p>
        <Button
          variant="primary"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => setMaking(true)}
        >
          {t("createToken")}
        </Button>
      </div>
      <Card flush>
        <DataTable
          label={t("tokensTitle")}
          columns={useTokenColumns(askToRevoke)}
          pages={pages}
          rowId={(token) => token.id}
          empty={<EmptyState title={t("noTokens")} />}
        />
      </Card>
      {isMaking && <CreateToken onClose={() => setMaking(false)} />}
      {question}
    </>
  );
}
