/** The wall display: dark and large, whatever was chosen on this device, while it is shown. */
import { useEffect } from "react";

/** Letters follow the width of the display: 16 to 32 px. */
const wallFontSize = "clamp(16px, 0.95vw, 32px)";

export function useWallLook(isWall: boolean): void {
  useEffect(() => {
    if (!isWall) return;
    const { dataset, style } = document.documentElement;
    const { theme } = dataset;
    const darken = () => {
      dataset["theme"] = "dark";
    };
    darken();
    // At sunrise the system's theme changes, and the console follows it first.
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", darken);
    style.fontSize = wallFontSize;
    return () => {
      system.removeEventListener("change", darken);
      if (theme === undefined) delete dataset["theme"];
      else dataset["theme"] = theme;
      style.fontSize = "";
    };
  }, [isWall]);
}

/** Browsers may refuse full screen, and some have none: the wall display works without. */
export async function fillScreen(isWall: boolean): Promise<void> {
  try {
    if (isWall) await document.documentElement.requestFullscreen();
    else if (document.fullscreenElement !== null) await document.exitFullscreen();
  } catch {
    // See above.
  }
}
