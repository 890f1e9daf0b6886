/** Shown in place of a page: not found, no access, failed. */
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useRouter } from "@tanstack/react-router";
import { Compass, Lock } from "lucide-react";
import { call } from "../api/call.ts";
import { isApiError } from "../api/error.ts";
import { shellMessages } from "../i18n/en/shell.ts";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { Link } from "../ui/button.tsx";
import { toastError } from "../ui/overlays/toast.tsx";
import { EmptyState, ErrorState } from "../ui/states.tsx";
import { PageHeader } from "../ui/surfaces.tsx";

/** No page has this address, or the thing it names is gone. */
export function NotFoundPage() {
  const t = useMessages(shellMessages);
  return (
    <>
      <PageHeader title={t("notFoundTitle")} />
      <EmptyState
        icon={<Compass />}
        title={t("notFoundText")}
        action={
          <Link to="/" variant="plain">
            {t("toStart")}
          </Link>
        }
      />
    </>
  );
}

/** An operator's page, opened by another user. */
export function NotYoursPage() {
  const t = useMessages(shellMessages);
  return (
    <>
      <PageHeader title={t("notYoursTitle")} />
      <EmptyState icon={<Lock />} title={t("notYoursText")} />
    </>
  );
}

/** An account's page, opened by a user without an account. */
export function NoAccountPage() {
  const t = useMessages(shellMessages);
  return (
    <>
      <PageHeader title={t("noAccountTitle")} />
      <EmptyState icon={<Lock />} title={t("noAccountText")} />
    </>
  );
}

/** A page that could not be drawn or loaded. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  const t = useMessages(shellMessages);
  const ui = useMessages(uiMessages);
  const router = useRouter();
  const retry = async () => {
    if (isApiError(error, "page_not_loaded")) {
      // Its file may have another name by now: only a new start finds it, and only with a server there.
      await call("get /session").then(
        () => location.reload(),
        () => toastError(ui("networkLost")),
      );
      return;
    }
    reset();
    await router.invalidate();
  };
  return (
    <div className="p-6">
      <ErrorState error={error} title={t("failedTitle")} onRetry={() => void retry()} />
    </div>
  );
}
