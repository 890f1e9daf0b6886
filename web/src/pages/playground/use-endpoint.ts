/**
 * The endpoint of this installation for the console's own calls, with one set of passes for the whole page.
 */
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import { useSession } from "../../shell/session.ts";
import { createPasses } from "./chat/passes.ts";
import type { Endpoint } from "./endpoint.ts";

const passes = createPasses(
  async (keyId) => await call("post /keys/{id}/pass", { params: { id: keyId } }),
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
      passes,
      fetch: (address, init) => fetch(address, init),
      elapsedMs: () => performance.now(),
      wait,
    }),
    [installation.baseUrl],
  );
}
