/** Words that several of the operator's pages share. */
import { defineWords } from "../../words.ts";
import { operatorPartsChinese } from "../../zh/pages/operator-parts.ts";

export const operatorPartsWords = defineWords("operator-parts", {
  en: {
    sourceFile: "plaza.yaml",
    sourceDemo: "demo",
    fileTitle: "This comes from plaza.yaml and is read-only here",
    fileText: "Change it in the file and apply it; running servers take it within a second.",
    demoTitle: "This came with the installation, for a first try",
    demoText:
      "The demo is not a language model. You can change or remove it; it goes with the first plaza.yaml that is applied.",
    conflict:
      "Somebody else changed this while you were editing. Nothing is saved yet. Look at what is there now, then save again.",
    conflictTitle: "Changed meanwhile",
    conflictText:
      "Their changes are in the form now, under yours. Save again to keep both; where both changed the same field, yours is what stays.",
    conflictThere: "There now",
    conflictYours: "You typed",
    takeTheirs: "Discard what I typed",
    none: "none",
    shownOnce: "This is shown once. Copy it now: it is stored only as a digest and cannot be shown again.",
    linkOnce:
      "This link is shown once. Send it to the person; whoever opens it can use it, once, until it expires.",
    linkExpires: "Expires",
    iHaveIt: "Done",
    copyLink: "Copy the link",
    copySecret: "Copy the secret",
  },
  zh: operatorPartsChinese,
});
