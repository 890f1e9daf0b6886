/** The title of the document: the page and the installation. Knows no page. */
import { useEffect } from "react";

let siteName = "Plaza";

/** What this installation is called; set once its session is known. */
export function setSiteName(name: string): void {
  siteName = name;
}

/** Shows the title of the page while it is there. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === siteName ? title : `${title} · ${siteName}`;
  }, [title]);
}
