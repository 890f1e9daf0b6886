/**
 * Parts of a page that load when they are first needed. One that cannot be loaded takes nothing else with it
 * and is asked for again, which `React.lazy` never does. Knows no page.
 */
import { RotateCcw } from "lucide-react";
import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ApiError } from "../api/error.ts";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./states.tsx";

/** The state of a part while it is not there. */
export interface Waiting {
  /** The last attempt to load it failed. */
  readonly hasFailed: boolean;
  /** Asks for it again; does nothing while it loads. */
  readonly retry: () => void;
}

/** A part, and how to fetch it ahead. */
export interface LazyPart<Props> {
  /**
   * Draws the part, or what `waiting` gives until it is there; by default nothing, and a note when it failed.
   */
  readonly Part: ComponentType<Props & { readonly waiting?: (state: Waiting) => ReactNode }>;
  /** Loads it ahead. Never fails: it is asked for again when it is drawn. */
  readonly preload: () => Promise<void>;
}

function FailedPart({ retry }: { readonly retry: () => void }) {
  const t = useMessages(uiMessages);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ErrorNote error={new ApiError({ code: "page_not_loaded", status: 0 })} className="min-w-0 flex-1" />
      <Button size="small" icon={<RotateCcw aria-hidden className="size-4" />} onClick={retry}>
        {t("retry")}
      </Button>
    </div>
  );
}

/** `const { Part: Drawing } = lazyPart(() => import("./drawing.tsx").then((file) => file.Drawing))`. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const ensure = (): Promise<void> => {
    loading ??= load().then(
      (part) => {
        loaded = part;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };

  function Part({ waiting, ...props }: Props & { readonly waiting?: (state: Waiting) => ReactNode }) {
    const [state, setState] = useState<"loading" | "loaded" | "failed">(
      loaded === undefined ? "loading" : "loaded",
    );
    useEffect(() => {
      if (state !== "loading") return;
      let isShown = true;
      ensure().then(
        () => isShown && setState("loaded"),
        () => isShown && setState("failed"),
      );
      return () => {
        isShown = false;
      };
    }, [state]);
    const Loaded = loaded;
    if (Loaded !== undefined) return <Loaded {...(props as unknown as Props)} />;
    const hasFailed = state === "failed";
    const retry = () => setState("loading");
    if (waiting !== undefined) return waiting({ hasFailed, retry });
    return hasFailed ? <FailedPart retry={retry} /> : null;
  }

  return { Part, preload: () => ensure().catch(() => undefined) };
}
