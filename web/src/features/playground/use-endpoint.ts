/**
 * The endpoint of this installation for the console's own calls, with one set
 * of ephemeral keys for the whole page.
 */
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import { useSession } from "../../shell/session.ts";
import { createEphemeralKeys } from "./chat/ephemeral-keys.ts";
import type { Endpoint } from "./endpoint.ts";

const ephemeralKeys = createEphemeralKeys(
  async (keyId) => await call("post /keys/{id}/ephemeral-key", { params: { id: keyId } }),
  () => Date.now(),
);

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Where models are called from this page. */
export function useEndpoint(): Endpoint {
  const { installation } = useSession();
  return useMemo(
    () => ({
      baseUrl: installation.baseUrl.replace(/\/+$/, ""),
      ephemeralKeys,
      fetch: (address, init) => fetch(address, init),
      elapsedMs: () => performance.now(),
      wait,
    }),
    [installation.baseUrl],
  );
}
