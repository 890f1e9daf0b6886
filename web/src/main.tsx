/** Starts the console in the page. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries.ts";
import { startLanguage } from "./i18n/language.ts";
import { router } from "./routes.tsx";
import { loadSearches } from "./shell/page-search.ts";
import { followSystemTheme } from "./shell/theme.ts";
import "./style.css";
import { ToastRegion } from "./ui/overlays/toast.tsx";

followSystemTheme();

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no #root.");

const root = createRoot(place);

// A language other than English is loaded first, so that no English flashes by.
void Promise.all([startLanguage(), loadSearches()]).then(() =>
  root.render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <ToastRegion />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  ),
);
