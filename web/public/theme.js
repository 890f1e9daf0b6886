// Sets theme and language on <html> before the first paint. Not part of the bundle, so that it can run first.
(() => {
  let theme = null;
  let language = null;
  try {
    theme = localStorage.getItem("plaza.theme");
    language = localStorage.getItem("plaza.language");
  } catch {
    // Storage may be switched off; the system's choice is used then.
  }
  const root = document.documentElement;
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  // The colour of the browser's own bars: that of the console's on phones.
  document.querySelector('meta[name="theme-color"]').content = dark ? "#171a21" : "#ffffff";
  // The console replaces it with the locale of a language that it has.
  root.lang = language ?? navigator.language;
})();
