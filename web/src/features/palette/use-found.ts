/** What the server finds for the palette: models, keys, accounts and requests this session may see. */
import { Boxes, Building2, KeyRound, ReceiptText, Store } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { formatMoney } from "../../format/money.ts";
import { paletteMessages } from "../../i18n/en/palette.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { Session } from "../../shell/session.ts";
import type { Entry, GroupName, Step } from "./entries.ts";
import { bestOf } from "./match.ts";

const restMs = 180;
/** Shown of each kind, and while one thing is chosen. */
const shownMax = 5;
const chosenMax = 50;
/** Ids of requests begin so. */
const requestForm = /^req_[0-9a-z]{1,60}$/i;

/** The text once typing rests. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const modelEntry = ({ id, name }: Named, group: GroupName, at: string): Entry => ({
  id: `${group}:${id}`,
  group,
  label: name,
  ...(name === id ? {} : { note: id, keywords: id }),
  icon: group === "models" ? Store : Boxes,
  to: `${at}/${encodeURIComponent(id)}`,
});

/** What was found, and whether it is all. */
export interface Found {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

/** `step` narrows it to what that asks for. */
export function useFound(given: string, step: Step | null, session: Session): Found {
  const t = useMessages(paletteMessages);
  const query = given.trim();
  const search = useRested(query).slice(0, 200);
  const isOperator = session.user?.isOperator === true;
  const hasAccount = session.account !== null;
  const wants = (name: Step) => step === name || (step === null && search !== "");
  const isRequest = step === null && requestForm.test(search);

  const plaza = useApiQuery("get /plaza", {}, { enabled: step === null && query !== "" });
  const catalog = useApiQuery(
    "get /operator/catalog",
    {},
    { enabled: isOperator && (wants("stopModel") || wants("startModel")) },
  );
  const keys = useApiQuery(
    "get /keys",
    {
      query: {
        limit: step === null ? shownMax : chosenMax,
        ...(search === "" ? {} : { search }),
        ...(step === "disableKey" ? { status: ["active"] } : {}),
      },
    },
    { enabled: hasAccount && wants("disableKey"), keep: true },
  );
  const accounts = useApiQuery(
    "get /operator/accounts",
    {
      query: {
        limit: step === null ? shownMax : chosenMax,
        ...(search === "" ? {} : { search }),
        ...(step === "topUp" ? { status: ["active", "suspended"] } : {}),
      },
    },
    { enabled: isOperator && wants("topUp"), keep: true },
  );
  const requestQuery = { query: { id: search.toLowerCase(), limit: shownMax } };
  const own = useApiQuery("get /requests", requestQuery, { enabled: hasAccount && isRequest });
  const all = useApiQuery("get /operator/requests", requestQuery, { enabled: isOperator && isRequest });

  const entries = useMemo(() => {
    const max = step === null ? shownMax : chosenMax;
    const models = (plaza.data?.models ?? []).map((one) => modelEntry(one, "models", "/models"));
    const prices = (catalog.data?.models ?? [])
      .filter(
        ({ source, disabled }) =>
          step === null || (source !== "file" && disabled === (step === "startModel")),
      )
      .map((one): Entry => {
        const entry = modelEntry(one, "prices", "/operator/models");
        if (step === "startModel") return { ...entry, model: one };
        return step === null ? entry : { ...entry, to: `${entry.to}?stop=1` };
      });
    const foundKeys = (keys.data?.keys ?? []).map(
      (key): Entry => ({
        id: `key:${key.id}`,
        group: "keys",
        label: key.name,
        note: `${key.visiblePrefix}…`,
        icon: KeyRound,
        to: `/keys/${encodeURIComponent(key.id)}`,
      }),
    );
    const foundAccounts = (accounts.data?.accounts ?? []).map((account): Entry => {
      const to = `/operator/accounts/${encodeURIComponent(account.id)}`;
      return {
        id: `account:${account.id}`,
        group: "accounts",
        label: account.name,
        note: formatMoney(account.balance),
        icon: Building2,
        to: step === null ? to : `${to}?topup=1`,
      };
    });
    const requests = (group: GroupName, at: string, rows: readonly { id: string; model: string | null }[]) =>
      rows.map(
        ({ id, model }): Entry => ({
          id: `${group}:${id}`,
          group,
          label: t("openRequest", { id }),
          ...(model === null ? {} : { note: model }),
          icon: ReceiptText,
          to: `${at}/${encodeURIComponent(id)}`,
        }),
      );
    if (step === "topUp") return foundAccounts;
    if (step === "disableKey") return foundKeys;
    if (step === "stopModel" || step === "startModel") return bestOf(query, prices, max);
    if (query === "") return [];
    return [
      ...bestOf(query, models, max),
      ...bestOf(query, prices, max),
      ...(search === "" ? [] : [...foundKeys, ...foundAccounts]),
      ...requests("requests", "/requests", own.data?.requests ?? []),
      ...requests("allRequests", "/operator/requests", all.data?.requests ?? []),
    ];
  }, [step, query, search, plaza.data, catalog.data, keys.data, accounts.data, own.data, all.data, t]);

  const asked = [plaza, catalog, keys, accounts, own, all];
  return {
    entries,
    isSearching: search !== query || asked.some((one) => one.isFetching),
    hasFailed: asked.some((one) => one.isError),
  };
}
