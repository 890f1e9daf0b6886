/** A link that downloads, in the look of a button. Knows no page. */
import { Download } from "lucide-react";
import { buttonClass } from "../../ui/button.tsx";

/** `to` is an address of the API: `addressOf("get /requests.csv", { query })`. */
export function DownloadLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <a href={to} download className={buttonClass("plain")}>
      <Download aria-hidden className="size-4" />
      {children}
    </a>
  );
}
