/**
 * Installs the packages of a gateway to measure below node_modules/.cache, once: from npm without running
 * their scripts, from PyPI as wheels in a virtual environment.
 */
import { dirname } from "node:path";
import { installPackages } from "../../test/clients/install.ts";
import { pythonOf, whyNoPython } from "../../test/sdk/python.ts";
import type { PeerInstall } from "./peer-file.ts";

/** The folder with the packages. Throws with the reason when they cannot be had here. */
export async function installPeer(install: PeerInstall): Promise<string> {
  if ("npm" in install) {
    const installed = await installPackages("peer", install.npm, install.overrides);
    if ("why" in installed) throw new Error(installed.why);
    return installed.folder;
  }
  if (whyNoPython !== false) throw new Error(whyNoPython);
  return dirname(dirname(await pythonOf(install.python)));
}
