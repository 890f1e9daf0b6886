/** Two-factor sign-in: on, off, new recovery codes. The dialogs are in files of their own. */
import { useState } from "react";
import { profileMessages } from "../../i18n/en/profile.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Card, StatusBadge } from "../../ui/surfaces.tsx";
import { EndTwoFactorDialog, NewCodesDialog } from "./two-factor-change.tsx";

/** Draws a QR code; few visits to the page need it. */
const { Part: TurnOnDialog } = lazyPart(() =>
  import("./two-factor-turn-on.tsx").then((file) => file.TurnOnDialog),
);

/** See above. */
export function TwoFactorCard() {
  const t = useMessages(profileMessages);
  const { user } = useSession();
  const [open, setOpen] = useState<"none" | "on" | "off" | "codes">("none");
  const close = () => setOpen("none");
  const isOn = user?.hasTwoFactor === true;
  const hasPassword = user?.hasPassword === true;
  return (
    <Card
      title={t("twoFactor")}
      action={
        <StatusBadge tone={isOn ? "good" : "neutral"}>
          {isOn ? t("twoFactorOn") : t("twoFactorOff")}
        </StatusBadge>
      }
    >
      <p className="mb-4 text-muted">
        {hasPassword || isOn ? t("twoFactorText") : t("twoFactorNeedsPassword")}
      </p>
      <div className="flex flex-wrap gap-2">
        {isOn ? (
          <>
            <Button onClick={() => setOpen("codes")}>{t("newCodes")}</Button>
            <Button onClick={() => setOpen("off")}>{t("turnOff")}</Button>
          </>
        ) : (
          <Button variant="primary" disabled={!hasPassword} onClick={() => setOpen("on")}>
            {t("turnOn")}
          </Button>
        )}
      </div>
      {open === "on" && <TurnOnDialog onClose={close} />}
      {open === "off" && <EndTwoFactorDialog onClose={close} />}
      {open === "codes" && <NewCodesDialog onClose={close} />}
    </Card>
  );
}
