/** A maker's logo beside its name: a drawing where there is one, else its letters. */
import { useEffect, useState } from "react";
import { classNames } from "../../../ui/class-names.ts";
import { colourOf, lettersOf } from "./makers.ts";

let paths: Readonly<Record<string, string>> | undefined;
let loading: Promise<void> | undefined;

/** The drawings come after the page; one load for all. */
function loadPaths(): Promise<void> {
  loading ??= import("./logos.ts").then(
    (file) => {
      paths = file.logoPaths;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

function usePath(name: string): string | undefined {
  const [, setLoaded] = useState(paths !== undefined);
  useEffect(() => {
    if (paths !== undefined) return;
    let isShown = true;
    void loadPaths().then(() => isShown && setLoaded(true));
    return () => {
      isShown = false;
    };
  }, []);
  return paths !== undefined && Object.hasOwn(paths, name) ? paths[name] : undefined;
}

export interface MakerLogoProps {
  /** Null: not known. */
  readonly name: string | null;
  readonly size?: "small" | "normal";
}

/** A soft ground of the maker's colour, on which text is readable in both themes. */
function groundOf(name: string): string {
  return `color-mix(in srgb, var(--series-${colourOf(name)}) 20%, transparent)`;
}

/** Says nothing aloud: the name stands beside it. */
export function MakerLogo({ name, size = "normal" }: MakerLogoProps) {
  const path = usePath(name ?? "");
  const box = size === "small" ? "size-5 rounded" : "size-9 rounded-lg";
  if (path !== undefined)
    return (
      <span
        aria-hidden
        className={classNames("grid shrink-0 place-items-center bg-sunken text-ink dark:bg-hover", box)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true" className={size === "small" ? "size-3.5" : "size-5"}>
          <path d={path} fill="currentColor" />
        </svg>
      </span>
    );
  return (
    <span
      aria-hidden
      className={classNames(
        "grid shrink-0 place-items-center leading-none font-semibold select-none",
        size === "small" ? "text-[0.6rem]" : "text-small",
        name === null ? "bg-sunken text-faint dark:bg-hover" : "text-ink",
        box,
      )}
      style={name === null ? undefined : { background: groundOf(name) }}
    >
      {name === null ? "?" : lettersOf(name)}
    </span>
  );
}
