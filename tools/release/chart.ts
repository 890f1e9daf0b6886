/** The Helm chart of `packaging/helm/plaza/` with the release's version, as one file. */
import { packFiles } from "./pack.ts";
import type { Release } from "./preconditions.ts";
import { type Files, readFiles } from "./product.ts";

const folder = "packaging/helm/plaza/";

export const chartName = (version: string): string => `plaza-chart-${version}.tgz`;

function withVersion(text: string, version: string): string {
  const changed = text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${JSON.stringify(version)}`);
  if (changed.split(JSON.stringify(version)).length !== 3)
    throw new Error(`${folder}Chart.yaml has no versions`);
  return changed;
}

/** Packs the chart; its bytes depend on its files and the release alone. */
export function packChart({ version, time }: Release): Promise<Buffer> {
  const found = readFiles(`${folder}**/*.*`, `${folder}.helmignore`);
  const files: Files = new Map(
    [...found].map(([path, body]) => {
      const name = path.slice(folder.length);
      return [name, name === "Chart.yaml" ? Buffer.from(withVersion(body.toString(), version)) : body];
    }),
  );
  return packFiles(files, "plaza", time);
}
