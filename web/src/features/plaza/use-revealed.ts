/**
 * A long list drawn bit by bit: the first rows immediately, more as the end comes into view,
 * as many as paper takes for printing.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

const stepRows = 48;
/** Most that are drawn for paper; beyond this a browser runs out of memory before it runs out of ink. */
const printedRows = 400;

/** How much of a list is drawn. */
export interface Revealed<Row> {
  readonly rows: readonly Row[];
  readonly left: number;
  readonly more: () => void;
  /** For an element after the list: more is drawn when it comes near. */
  readonly endRef: (element: HTMLElement | null) => void;
}

/** `key` names the view: another one begins at the top again. */
export function useRevealed<Row>(all: readonly Row[], key: string): Revealed<Row> {
  const [state, setState] = useState({ key, count: stepRows });
  const count = state.key === key ? state.count : stepRows;
  const more = useCallback(
    () => setState((now) => ({ key, count: (now.key === key ? now.count : stepRows) + stepRows })),
    [key],
  );
  useEffect(() => {
    const before = () =>
      flushSync(() =>
        setState((now) => ({ key, count: Math.max(now.key === key ? now.count : 0, printedRows) })),
      );
    window.addEventListener("beforeprint", before);
    return () => window.removeEventListener("beforeprint", before);
  }, [key]);
  const observer = useRef<IntersectionObserver | null>(null);
  const endRef = useCallback(
    (element: HTMLElement | null) => {
      observer.current?.disconnect();
      if (element === null) return;
      observer.current = new IntersectionObserver(
        (entries) => entries.some((entry) => entry.isIntersecting) && more(),
        {
          rootMargin: "600px",
        },
      );
      observer.current.observe(element);
    },
    [more],
  );
  return {
    rows: count >= all.length ? all : all.slice(0, count),
    left: Math.max(0, all.length - count),
    more,
    endRef,
  };
}

/** Paper is white: the page is printed in its light colours. */
export function useLightPrint(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    let theme: string | undefined;
    const before = () => {
      theme = dataset["theme"];
      dataset["theme"] = "light";
    };
    const after = () => {
      if (theme !== undefined) dataset["theme"] = theme;
    };
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, []);
}
