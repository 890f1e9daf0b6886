/**
 * Content that takes long to draw: the page stands first, with a placeholder where the content will be, and
 * the content is drawn in the background. Knows no page.
 */
import { type ReactNode, useDeferredValue, useLayoutEffect, useRef } from "react";

/** How high the content of each page was when it was last drawn, in pixels; as many as there are pages. */
const heightsPx = new Map<string, number>();

export interface LaterProps {
  /** Stands in for the content at first: of the same shape, so that nothing moves. */
  readonly placeholder: ReactNode;
  readonly children: ReactNode;
}

/**
 * Draws the content after the rest of the page. On the way back to a page its placeholder is as high as the
 * content was, so that the place to which the reader had scrolled is there.
 */
export function Later({ placeholder, children }: LaterProps) {
  const isDue = useDeferredValue(true, false);
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null || !isDue) return;
    const { pathname } = location;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) heightsPx.set(pathname, entry.contentRect.height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isDue]);
  return (
    <div ref={ref} style={isDue ? undefined : { minHeight: heightsPx.get(location.pathname) }}>
      {isDue ? children : placeholder}
    </div>
  );
}
