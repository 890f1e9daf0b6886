/** The software bill of materials (CycloneDX 1.6) of a release: every package whose code is in it. */
import { createHash } from "node:crypto";
import { type SystemPackage, systemPurl } from "./image/libraries.ts";
import { packageName } from "./npm-package.ts";
import type { BundledPackage } from "./packages.ts";
import type { Release } from "./preconditions.ts";

const purlOf = (name: string, version: string): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version.replaceAll("+", "%2B")}`;

/** Hexadecimal digest of an integrity such as `sha512-…`. */
const digestOf = (integrity: string): string =>
  Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");

const isExpression = (license: string): boolean => /\s/.test(license);

function componentOf({ name, version, license, integrity, isRuntime }: BundledPackage) {
  const purl = isRuntime ? `pkg:generic/${name}@${version}` : purlOf(name, version);
  return {
    type: isRuntime ? "platform" : "library",
    "bom-ref": purl,
    name,
    version,
    // A component that only some of the release's files contain.
    scope: isRuntime ? "optional" : "required",
    ...(isRuntime ? { description: "Runtime inside the executables" } : {}),
    licenses: [isExpression(license) ? { expression: license } : { license: { id: license } }],
    purl,
    ...(isRuntime ? {} : { hashes: [{ alg: "SHA-512", content: digestOf(integrity) }] }),
  };
}

/** A package of Debian that images contain; its licence is in the image, at /usr/share/doc/NAME/copyright. */
function systemComponent(one: SystemPackage) {
  const purl = systemPurl(one);
  return {
    type: "library",
    "bom-ref": purl,
    name: one.name,
    version: one.version,
    scope: "optional",
    description: "Library inside the images",
    hashes: [{ alg: "SHA-256", content: one.sha256 }],
    purl,
  };
}

/** A UUID (version 8) that the text decides. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns the bill as JSON text. */
export function billOfMaterials(
  release: Release,
  packages: readonly BundledPackage[],
  system: readonly SystemPackage[],
): string {
  const { version, time, commit } = release;
  const purl = purlOf(packageName, version);
  const components = [...packages.map(componentOf), ...system.map(systemComponent)];
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(`${purl} ${commit} ${JSON.stringify(components)}`)}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      tools: { components: [{ type: "application", name: "tools/release.ts", version: commit }] },
      component: {
        type: "application",
        "bom-ref": purl,
        name: packageName,
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        purl,
      },
    },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((component) => component["bom-ref"]) }],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
