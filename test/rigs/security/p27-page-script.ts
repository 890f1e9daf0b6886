/**
 * A script that P27 runs in the page, as text: it finds elements that could run code or load from elsewhere.
 */

/** A function of the trap's address; returns a line for each danger. */
export const dangersIn = String.raw`(trap) => {
  const bad = [];
  const never = new Set(["iframe", "object", "embed", "base", "applet", "frame", "animate", "use"]);
  const addresses = new Set(["href", "src", "action", "formaction", "xlink:href", "data", "srcdoc", "poster"]);
  for (const element of document.querySelectorAll("*")) {
    const tag = element.localName;
    const where = "<" + tag + "> " + element.outerHTML.slice(0, 120);
    if (never.has(tag)) bad.push(where);
    if (tag === "script" && !element.src.startsWith(location.origin)) bad.push(where);
    if (tag === "style" && element.textContent.includes(trap)) bad.push(where);
    for (const { name, value } of element.attributes) {
      const plain = value.replace(/[\u0000-\u0020]/g, "").toLowerCase();
      const runs = /^(javascript|vbscript):|^data:(?!image\/(png|jpeg|gif|webp|svg\+xml))/.test(plain);
      if (name.startsWith("on") || (addresses.has(name) && runs)) bad.push(name + "= in " + where);
      if (name === "src" && plain.startsWith(trap)) bad.push(name + "= in " + where);
    }
  }
  return bad;
}`;
