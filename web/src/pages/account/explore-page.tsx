/** The cost explorer of the account. */
import { Explorer } from "../../features/usage/explorer/explorer.tsx";

/** See above. */
export function ExplorePage() {
  return <Explorer scope="account" />;
}
