/** Words that several of the operator's pages share. */
import { defineMessages } from "../../messages.ts";

export const operatorPartsMessages = defineMessages("operator-parts", {
  sourceFile: "plaza.yaml",
  sourceDemo: "Demo",
  fileTitle: "Managed in plaza.yaml, read-only here",
  fileText: "Edit plaza.yaml and apply it. Running servers use the change within a second.",
  demoTitle: "Created by the demo setup",
  demoText:
    "The demo is not a language model. You can edit or remove it. Plaza removes it when you first apply plaza.yaml.",
  conflict:
    "Another user changed this after you opened it. Your changes are not saved. Review the current values, then save again.",
  conflictTitle: "Changed by another user",
  conflictText:
    "The form now includes the other user's changes. Save again to keep both. Where you both changed a field, your value is saved.",
  conflictThere: "Current value",
  conflictYours: "Your value",
  takeTheirs: "Use current values",
  none: "None",
  shownOnce: "Copy this secret now. Plaza shows it once and stores only its digest.",
  linkOnce:
    "Copy this link now and send it to the person. It is shown once and works once, for anyone who opens it before it expires.",
  linkExpires: "Expires",
  iHaveIt: "Done",
  copyLink: "Copy link",
  copySecret: "Copy secret",
});
