/** Redeems a code. The server validates it; its message is shown at the field. */
import { ApiError } from "../../api/error.ts";
import { formatMoney } from "../../format/money.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { sendChange } from "../../forms/send-change.ts";
import { useAppForm } from "../../forms/use-app-form.ts";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";

/** An error about the code itself is shown beside the field, in any form. */
function besideField(thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.status >= 500 || thrown.status === 0 || thrown.status === 429)
    return thrown;
  if (thrown.fields.length > 0) return thrown;
  const { code, message, status, requestId, retryAfterMs } = thrown;
  return new ApiError({
    code,
    message,
    status,
    requestId,
    retryAfterMs,
    fields: [{ path: "code", message }],
  });
}

/** See above. */
export function RedeemForm() {
  const t = useMessages(billingMessages);
  const form = useAppForm({
    initial: { code: "" },
    route: "post /redeem",
    sent: (values) => ({ body: values }),
    onSubmit: async (values) => {
      try {
        return await sendChange("post /redeem", { body: values });
      } catch (thrown) {
        throw besideField(thrown);
      }
    },
    onDone: ({ entry }) => {
      form.reset({ code: "" });
      toast(t("redeemed", { amount: formatMoney(entry.amount) }));
    },
  });
  return (
    <Form form={form} act={t("redeem")} guard={false}>
      <FormField form={form} name="code" label={t("code")} hint={t("codeHint")}>
        {(bind) => <TextInput {...bind} mono maxLength={100} placeholder="plaza-XXXX-XXXX-XXXX-XXXX-XX" />}
      </FormField>
    </Form>
  );
}
