/**
 * What could be connected right away: credentials the server was started
 * with, servers on its machine, the demo.
 */
import { KeyRound, Server, Sparkles } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { connectMessages } from "../../i18n/en/connect.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote, Skeleton } from "../../ui/states.tsx";
import { Badge } from "../../ui/surfaces.tsx";
import type { Aim } from "./choosing.ts";

type Offer = Answer<"get /operator/offers">["offers"][number];

export interface OffersProps {
  readonly onAsk: (aim: Aim) => Promise<void>;
  readonly onDemo?: () => void;
}

/** Empty when nothing was found and the demo is not offered. */
export function Offers({ onAsk, onDemo }: OffersProps) {
  const t = useMessages(connectMessages);
  const offers = useApiQuery("get /operator/offers", {});
  const found = offers.data?.offers ?? [];
  if (offers.data !== undefined && found.length === 0 && onDemo === undefined) return null;
  return (
    <section className="flex flex-col gap-3">
      {(found.length > 0 || offers.isPending) && (
        <div>
          <h2 className="font-semibold">{t("found")}</h2>
          <p className="text-muted">{t("foundText")}</p>
        </div>
      )}
      <ul className="grid gap-2 sm:grid-cols-2">
        {offers.isPending && (
          <li>
            <Skeleton className="h-18 w-full" />
          </li>
        )}
        {found.map((offer) => (
          <OfferItem
            key={`${offer.service} ${offer.baseUrl ?? ""} ${offer.variable ?? ""}`}
            offer={offer}
            onAsk={onAsk}
          />
        ))}
        {onDemo !== undefined && (
          <Item icon={<Sparkles aria-hidden className="size-5" />} title={t("demo")} text={t("demoText")}>
            <Button size="small" onClick={onDemo}>
              {t("demoUse")}
            </Button>
          </Item>
        )}
      </ul>
    </section>
  );
}

function OfferItem({ offer, onAsk }: { readonly offer: Offer; readonly onAsk: OffersProps["onAsk"] }) {
  const t = useMessages(connectMessages);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ask = async () => {
    setBusy(true);
    setError(null);
    try {
      await onAsk({ service: offer.service, baseUrl: offer.baseUrl, useEnvironment: offer.variable });
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const origin = offer.variable === null ? t("foundLocal") : t("foundVariable", { variable: offer.variable });
  const count = offer.models === null ? "" : ` · ${t("foundModels", { count: offer.models })}`;
  return (
    <Item
      icon={
        offer.variable === null ? (
          <Server aria-hidden className="size-5" />
        ) : (
          <KeyRound aria-hidden className="size-5" />
        )
      }
      title={offer.name}
      text={`${origin}${count}`}
      also={error === null ? undefined : <ErrorNote error={error} />}
    >
      {offer.isConnected ? (
        <Badge tone="good">{t("isConnected")}</Badge>
      ) : (
        <Button size="small" busy={isBusy} onClick={() => void ask()}>
          {t("connectThis")}
        </Button>
      )}
    </Item>
  );
}

interface ItemProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
  readonly also?: ReactNode;
}

function Item({ icon, title, text, children, also }: ItemProps) {
  return (
    <li className="flex flex-col gap-1.5 rounded-xl border border-line px-4 py-3">
      <div className="flex min-h-8 items-center gap-3">
        <span className="text-faint">{icon}</span>
        <span className="min-w-0 flex-1 font-medium">{title}</span>
        {children}
      </div>
      <p className="text-small text-muted">{text}</p>
      {also}
    </li>
  );
}
