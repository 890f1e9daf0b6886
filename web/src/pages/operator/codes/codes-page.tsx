/** The place of this page until it is built. */
import { PageHeader } from "../../../ui/surfaces.tsx";

/** Only its heading so far. */
export function CodesPage() {
  return <PageHeader title="Codes" />;
}
