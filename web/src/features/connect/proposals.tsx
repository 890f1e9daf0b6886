/**
 * The models an upstream offers, with proposed prices and where those are from; chosen and confirmed here.
 */
import { useDeferredValue, useMemo, useState } from "react";
import { useApiMutation } from "../../api/queries.ts";
import { connectMessages } from "../../i18n/en/connect.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { reloadSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import type { Connected } from "./choosing.ts";
import {
  type Aim,
  atListPrice,
  byOperation,
  type Checked,
  type Choosing,
  chosenModels,
  firstChoice,
  isCandidate,
  isServed,
  matching,
  type Proposal,
  priceState,
} from "./choosing.ts";
import { OnePrice } from "./one-price.tsx";
import { ProposalRow } from "./proposal-row.tsx";

/** Most rows drawn; search finds the rest. */
const rowsMax = 150;

export interface ProposalsProps {
  readonly aim: Aim;
  readonly checked: Checked;
  readonly onConnected: (result: Connected) => void;
}

/** See above. */
export function Proposals({ aim, checked, onConnected }: ProposalsProps) {
  const t = useMessages(connectMessages);
  const [choosing, setChoosing] = useState<Choosing>(() => firstChoice(checked.models));
  const [id, setId] = useState(checked.upstream.id);
  const connect = useApiMutation("post /operator/connect");
  const candidates = useMemo(() => byOperation(checked.models.filter(isCandidate)), [checked.models]);
  const models = chosenModels(checked.models, choosing);
  const hasFault = candidates.some(
    (one) =>
      choosing.names.has(one.upstreamModel) &&
      ["partial", "bad"].includes(priceState(choosing.prices[one.upstreamModel])),
  );
  const confirm = () =>
    void connect
      .mutateAsync({ body: { ...aim, id, models } })
      .then((result) => {
        // Whether there is nothing but the demo is in the session.
        void reloadSession().catch(() => undefined);
        onConnected(result);
      })
      .catch(() => undefined);
  return (
    <div className="flex flex-col gap-5">
      <div>
        <h2 className="text-lead font-semibold">{t("foundTitle", { count: candidates.length })}</h2>
        <p className="text-muted">{t("from", { address: checked.upstream.baseUrl })}</p>
      </div>
      {!checked.isChecked && <Notice tone="warn" title={t("unchecked")} />}
      {checked.isCut && <Notice tone="warn" title={t("cut")} />}
      {!checked.upstream.isThere && (
        <Field label={t("upstreamId")} hint={t("upstreamIdHint")} className="max-w-sm">
          <TextInput value={id} onChange={setId} mono maxLength={100} />
        </Field>
      )}
      <ListPrices models={candidates} choosing={choosing} onChange={setChoosing} />
      <OnePrice models={candidates} choosing={choosing} onChange={setChoosing} />
      <ProposalList models={candidates} choosing={choosing} onChange={setChoosing} />
      <LeftOut checked={checked} />
      {connect.error !== null && <ErrorNote error={connect.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant={models.length === 0 ? "plain" : "primary"}
          busy={connect.isPending}
          disabled={hasFault}
          onClick={confirm}
        >
          {models.length === 0 ? t("confirmNone") : t("confirm")}
        </Button>
        <ChosenCount checked={checked} choosing={choosing} count={models.length} />
      </div>
    </div>
  );
}

/** The maker's prices for all models that have none; nothing is taken unasked. */
function ListPrices({ models, choosing, onChange }: ProposalListProps) {
  const t = useMessages(connectMessages);
  const offered = models.filter((one) => one.listPrice !== null && !isServed(one, choosing));
  if (offered.length === 0) return null;
  return (
    <Notice
      tone="accent"
      title={t("listPrices", { count: offered.length })}
      action={
        <Button onClick={() => onChange(atListPrice(choosing, offered))}>
          {t("useListPrices", { count: offered.length })}
        </Button>
      }
    >
      {t("listPricesText")}
    </Notice>
  );
}

interface ChosenCountProps {
  readonly checked: Checked;
  readonly choosing: Choosing;
  readonly count: number;
}

function ChosenCount({ checked, choosing, count }: ChosenCountProps) {
  const t = useMessages(connectMessages);
  const unserved = checked.models.filter(
    (one) => isCandidate(one) && choosing.names.has(one.upstreamModel) && !isServed(one, choosing),
  ).length;
  return (
    <p aria-live="polite" className="text-muted">
      {t("chosen", { count })}
      {unserved > 0 && <span className="block text-warn">{t("chosenUnpriced", { count: unserved })}</span>}
    </p>
  );
}

interface ProposalListProps {
  readonly models: readonly Proposal[];
  readonly choosing: Choosing;
  readonly onChange: (choosing: Choosing) => void;
}

function ProposalList({ models, choosing, onChange }: ProposalListProps) {
  const t = useMessages(connectMessages);
  const [text, setText] = useState("");
  const [onlyChosen, setOnlyChosen] = useState(false);
  const wanted = useDeferredValue(text);
  const shown = useMemo(
    () => matching(models, wanted).filter((one) => !onlyChosen || choosing.names.has(one.upstreamModel)),
    [models, wanted, onlyChosen, choosing.names],
  );
  return (
    <div className="flex flex-col gap-3">
      {models.length > 8 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <TextInput
            label={t("search")}
            placeholder={t("search")}
            type="search"
            value={text}
            onChange={setText}
            className="max-w-xs"
          />
          <Checkbox label={t("onlyChosen")} value={onlyChosen} onChange={setOnlyChosen} />
          <span className="flex gap-1 sm:ml-auto">
            <Button
              variant="quiet"
              size="small"
              onClick={() => onChange({ ...choosing, names: firstChoice(models).names })}
            >
              {t("chooseAll")}
            </Button>
            <Button variant="quiet" size="small" onClick={() => onChange({ ...choosing, names: new Set() })}>
              {t("chooseNone")}
            </Button>
          </span>
        </div>
      )}
      <ul className="divide-y divide-line rounded-xl border border-line">
        {shown.slice(0, rowsMax).map((one) => (
          <ProposalRow key={one.upstreamModel} proposal={one} choosing={choosing} onChange={onChange} />
        ))}
        {shown.length === 0 && <li className="px-4 py-6 text-center text-muted">{t("noModels")}</li>}
      </ul>
      {shown.length > rowsMax && (
        <p className="text-muted">{t("moreRows", { count: shown.length - rowsMax })}</p>
      )}
    </div>
  );
}

/** What is not offered, and why, by reason. */
function LeftOut({ checked }: { readonly checked: Checked }) {
  const t = useMessages(connectMessages);
  const language = useLanguage();
  const left = checked.models.filter((one) => !isCandidate(one));
  if (left.length === 0) return null;
  const reasons = new Map<string, number>();
  for (const one of left) {
    const reason =
      one.action === "present"
        ? t("present")
        : serverText(one.reason ?? t("leftNoReason"), language, one.reasonMessage);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return (
    <p className="text-body text-muted">
      {t("left", { count: left.length })}{" "}
      {[...reasons].map(([reason, count]) => `${reason} (${count})`).join("; ")}
    </p>
  );
}
