/** Which of several certificates a connection gets: by the name of the host that it asks for (SNI). */
import { createSecureContext, type SecureContext } from "node:tls";
import { contextOptionsOf } from "./certificate.ts";
import type { ServedCertificates } from "./served-certificate.ts";

/**
 * Returns a function that finds the context of the first certificate for a name; undefined = the first of
 * all, which the server has anyway. Follows changes of the certificates.
 */
export function contextByName(certificates: ServedCertificates): (name: string) => SecureContext | undefined {
  const [, ...others] = certificates;
  if (others.length === 0) return () => undefined;
  const contexts = certificates.map((served) => {
    const own = { context: createSecureContext(contextOptionsOf(served.current)) };
    served.onChange((next) => {
      own.context = createSecureContext(contextOptionsOf(next));
    });
    return { served, own };
  });
  return (name) => contexts.find(({ served }) => served.current.isFor(name))?.own.context;
}
