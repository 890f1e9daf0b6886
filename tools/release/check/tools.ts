/** Programs that check what is released for containers, built from Go's modules, which takes minutes. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";
import { writeKubernetesSchemas } from "./kubernetes-schemas.ts";

const folder = join(root, "node_modules/.cache/plaza-release-check");

const programs = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.19.5",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  compose: "github.com/compose-spec/compose-go/v2/cmd@v2.16.2",
} as const;
export type CheckProgram = keyof typeof programs;

/** The Kubernetes whose API the chart is checked against. */
export const kubernetesVersion = "1.34.4";

/** Where kubeconform finds the schema of a kind. */
export const schemaPattern = join(folder, "schemas/{{ .ResourceKind }}{{ .KindSuffix }}.json");

export const programOf = (name: CheckProgram): string => join(folder, name);

/** Why a check that needs these programs is skipped; false when it is not. */
export function whyNot(...names: readonly CheckProgram[]): string | false {
  const missing = names.filter((name) => !existsSync(programOf(name)));
  return (
    missing.length > 0 && `there is no ${missing.join(", ")} here: \`npm run release:check\` installs it`
  );
}

/** Installs what is missing. Throws when there is no Go, or its modules cannot be had. */
export function installCheckPrograms(report: (line: string) => void): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(programs)) {
    const file = programOf(name as CheckProgram);
    if (existsSync(file)) continue;
    report(`building ${path}`);
    const bin = join(folder, "bin");
    execFileSync("go", ["install", path], { env: { ...process.env, GOBIN: bin }, stdio: "inherit" });
    const built = path.slice(path.lastIndexOf("/") + 1, path.lastIndexOf("@"));
    renameSync(join(bin, built), file);
  }
  if (existsSync(join(folder, "schemas"))) return;
  const module = `k8s.io/kubernetes@v${kubernetesVersion}`;
  report(`loading ${module}`);
  const found = execFileSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
  const { Dir: path } = JSON.parse(found) as { Dir: string };
  const unfinished = join(folder, "schemas-unfinished");
  rmSync(unfinished, { recursive: true, force: true });
  writeKubernetesSchemas(join(path, "api/openapi-spec/swagger.json"), unfinished);
  renameSync(unfinished, join(folder, "schemas"));
}
