/** The last step of the first run: a key is made and the endpoint is called, as any client would. */
import { isFor } from "@plaza/contract/operations.ts";
import { useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { startMessages } from "../../i18n/en/start.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type Session, useSession } from "../../shell/session.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextArea, TextInput } from "../../ui/inputs/inputs.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { EmptyState, ErrorNote, Loaded } from "../../ui/states.tsx";
import { CallResult } from "./call-result.tsx";
import { type FirstNames, useFirstCall } from "./first-call.ts";
import { NextSteps } from "./next-steps.tsx";

// Needed by few.
const loadAccountForms = () => import("./account-forms.tsx");
const { Part: AccountForm } = lazyPart(() => loadAccountForms().then((file) => file.AccountForm));
const { Part: TopUpForm } = lazyPart(() => loadAccountForms().then((file) => file.TopUpForm));

export interface CallStepProps {
  /** Models that were just connected; empty for any. */
  readonly preferred: readonly string[];
  readonly onConnect: () => void;
}

/** See above. */
export function CallStep({ preferred, onConnect }: CallStepProps) {
  const t = useMessages(startMessages);
  const { account } = useSession();
  const plaza = useApiQuery("get /plaza", {});
  if (account === null) return <AccountForm />;
  return (
    <Loaded query={plaza}>
      {({ models }) => {
        const ids = models
          .filter((one) => one.status === "available" && isFor(one, "chat"))
          .map((one) => one.id);
        if (ids.length === 0) {
          return (
            <EmptyState
              title={t("noModels")}
              action={
                <Button variant="primary" onClick={onConnect}>
                  {t("backToConnect")}
                </Button>
              }
            >
              {t("noModelsText")}
            </EmptyState>
          );
        }
        return <Call ids={ids} first={firstOf(ids, preferred)} account={account} />;
      }}
    </Loaded>
  );
}

/** A model just connected, else any but the demo, which says nothing about an upstream. */
function firstOf(ids: readonly string[], preferred: readonly string[]): string {
  const connected = preferred.find((id) => ids.includes(id));
  return connected ?? ids.find((id) => id !== "demo") ?? ids[0] ?? "";
}

interface CallProps {
  readonly ids: readonly string[];
  readonly first: string;
  readonly account: NonNullable<Session["account"]>;
}

function Call({ ids, first, account }: CallProps) {
  const t = useMessages(startMessages);
  const [model, setModel] = useState(first);
  const [prompt, setPrompt] = useState(t("promptDefault"));
  const [names, setNames] = useState<FirstNames>({ account: account.name, key: t("keyName") });
  const firstCall = useFirstCall();
  const { run, secret, isBusy, error } = firstCall;
  const isDone = run?.state === "complete";
  const isNamed = names.account.trim() !== "" && names.key.trim() !== "";
  const start = () => firstCall.start(model, prompt, names);
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        {account.role === "owner" && (
          <Field label={t("accountName")} hint={t("accountNameHint")} required>
            <TextInput
              value={names.account}
              onChange={(name) => setNames({ ...names, account: name })}
              disabled={isBusy || secret !== null}
              maxLength={200}
            />
          </Field>
        )}
        <Field label={t("keyNameLabel")} hint={t("keyNameHint")} required>
          <TextInput
            value={names.key}
            onChange={(name) => setNames({ ...names, key: name })}
            disabled={isBusy || secret !== null}
            maxLength={200}
          />
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-[1fr_1.6fr]">
        <Field label={t("model")}>
          <Combobox
            value={model}
            onChange={setModel}
            choices={ids.map((id) => ({ value: id, label: id }))}
            disabled={isBusy}
          />
        </Field>
        <Field label={t("prompt")}>
          <TextArea value={prompt} onChange={setPrompt} rows={2} disabled={isBusy} maxLength={4_000} />
        </Field>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant={isDone ? "plain" : "primary"}
          busy={isBusy}
          disabled={model === "" || prompt.trim() === "" || !isNamed}
          onClick={start}
        >
          {secret === null ? t("run") : t("again")}
        </Button>
        {isBusy && run !== null && <Button onClick={firstCall.stop}>{t("stop")}</Button>}
      </div>
      {error !== null && <ErrorNote error={error} />}
      {run !== null && <CallResult run={run} prompt={prompt} secret={secret} />}
      {run?.fault?.code === "insufficient_balance" && <TopUpForm accountId={account.id} onDone={start} />}
      {isDone && <NextSteps />}
      <p className="flex justify-end border-t border-line pt-4">
        <Link to="/" variant={isDone ? "primary" : "plain"}>
          {t("toConsole")}
        </Link>
      </p>
    </div>
  );
}
