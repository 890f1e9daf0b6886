/**
 * Email and password, then a code if there is a second factor. On the sign-in page, and in the dialog after a
 * session expired.
 */
import { useEffect, useState } from "react";
import { call } from "../../api/call.ts";
import { isApiError } from "../../api/error.ts";
import { formatDuration } from "../../format/time.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { signInMessages } from "../../i18n/en/sign-in.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type Session, takeSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { PasswordInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Notice } from "../../ui/surfaces.tsx";

export interface SignInFormProps {
  /** Known already, when a session expired. */
  readonly email?: string;
  readonly onSignedIn: (session: Session) => void;
}

/** See `SignInFormProps`. */
export function SignInForm({ email = "", onSignedIn }: SignInFormProps) {
  const t = useMessages(signInMessages);
  const [asksCode, setAsksCode] = useState(false);
  const [waitUntilMs, setWaitUntilMs] = useState(0);
  const form = useAppForm({
    initial: { email, password: "", code: "" },
    onSubmit: async ({ email, password, code }): Promise<Session | undefined> => {
      try {
        return await call("post /session", { body: { email, password, ...(asksCode ? { code } : {}) } });
      } catch (thrown) {
        if (isApiError(thrown, "second_factor_required")) setAsksCode(true);
        else if (isApiError(thrown, "too_many_attempts"))
          setWaitUntilMs(Date.now() + (thrown.retryAfterMs ?? 1_000));
        else if (isApiError(thrown, "sign_in_failed")) throw new Error(t(asksCode ? "failedCode" : "failed"));
        else throw thrown;
        return undefined;
      }
    },
    onDone: (session) => {
      if (session === undefined) return;
      takeSession(session);
      onSignedIn(session);
    },
  });
  const waitMs = useCountdown(waitUntilMs);
  return (
    <Form
      form={form}
      guard={false}
      act={asksCode ? t("goOn") : t("act")}
      isActWide
      isActDisabled={waitMs > 0}
      also={
        asksCode && (
          <Button
            variant="quiet"
            className="w-full"
            onClick={() => {
              setAsksCode(false);
              form.set({ code: "", password: "" });
            }}
          >
            {t("otherUser")}
          </Button>
        )
      }
    >
      {asksCode ? (
        <FormField form={form} name="code" label={t("code")} hint={t("codeHint")} required>
          {(bind) => (
            <TextInput {...bind} key="code" autoComplete="one-time-code" mono autoFocus maxLength={40} />
          )}
        </FormField>
      ) : (
        <>
          <FormField form={form} name="email" label={t("email")} required>
            {(bind) => (
              <TextInput
                {...bind}
                type="email"
                autoComplete="username"
                autoFocus={email === ""}
                maxLength={254}
              />
            )}
          </FormField>
          <FormField form={form} name="password" label={t("password")} required>
            {(bind) => <PasswordInput {...bind} autoFocus={email !== ""} />}
          </FormField>
        </>
      )}
      {waitMs > 0 && <Wait waitMs={waitMs} />}
    </Form>
  );
}

function Wait({ waitMs }: { readonly waitMs: number }) {
  const t = useMessages(signInMessages);
  const language = useLanguage();
  const wait = formatDuration(Math.ceil(waitMs / 1000) * 1000, language);
  return <Notice tone="warn" title={t("waitFor", { wait })} />;
}

/** Milliseconds left until then, re-rendered every second. */
function useCountdown(untilMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const leftMs = Math.max(0, untilMs - nowMs);
  useEffect(() => {
    setNowMs(Date.now());
    if (untilMs <= Date.now()) return;
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [untilMs]);
  return leftMs;
}
