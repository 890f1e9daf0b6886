/**
 * How the console is built: one static folder, hashed names, nothing inline, so
 * that a strict CSP holds. Knows no route.
 */
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = "http://127.0.0.1:8080";

// biome-ignore lint/style/noDefaultExport: Vite reads the default export of this file.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/",
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 700,
  },
  server: { host: "127.0.0.1", proxy: { "/api": server, "/v1": server } },
});
