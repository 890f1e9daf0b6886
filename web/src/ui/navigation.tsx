/** Going from page to page by plain addresses, as in `/keys/abc?tab=usage`. Knows no page. */
import { useParams, useRouter } from "@tanstack/react-router";
import { type ComponentPropsWithRef, type MouseEvent, useCallback } from "react";

/** `const go = useGo()`; `go("/keys")`, `go("/keys", { replace: true })`. */
export function useGo(): (to: string, options?: { readonly replace?: boolean }) => void {
  const router = useRouter();
  return useCallback(
    (to, options) => {
      if (options?.replace === true) router.history.replace(to);
      else router.history.push(to);
    },
    [router],
  );
}

/** A part of the page's path: `useParam("id")` on `/keys/$id`; decoded. */
export function useParam(name: string): string {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return params[name] ?? "";
}

type PageLinkProps = ComponentPropsWithRef<"a"> & { readonly to: string };

/**
 * An `<a>` within the console, without a reload; what opens a new tab still does. Pointing at it, or reaching
 * it by keyboard, fetches the page's code and data ahead.
 */
export function PageLink({ to, onClick, onPointerEnter, onFocus, ...rest }: PageLinkProps) {
  const go = useGo();
  const router = useRouter();
  // The router keeps what it fetched ahead for half a minute, so pointing again costs nothing.
  const preload = () => void router.preloadRoute({ href: to } as never).catch(() => undefined);
  const press = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      {...rest}
      href={to}
      onClick={press}
      onPointerEnter={(event) => {
        onPointerEnter?.(event);
        preload();
      }}
      onFocus={(event) => {
        onFocus?.(event);
        preload();
      }}
    />
  );
}
