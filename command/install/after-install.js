// Plain JavaScript for the Node that npm runs on, like find-node.js. In a clone, `npm ci` and `npm install` run it last.
// It deletes files in packages that nothing here loads, joins the modules of packages that have hundreds, and builds the
// pages for people, because the user who starts the appliance later might not be allowed to write here. Errors never fail
// the installation: a file that cannot be deleted stays, a package that isn't joined loads more slowly, and the appliance
// retries a failed build.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { installedNode, isNewEnough } from "../find-node.js"
import { isUnused } from "./unused-files.js"

const folder = fileURLToPath(new URL("../../node_modules", import.meta.url))

/**
 * @param {string} modules the folder `node_modules`
 * @param {(path: string) => boolean} unused
 */
export function prune(modules, unused) {
  const visit = (/** @type {string} */ below) => {
    for (const entry of readdirSync(join(modules, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`
      try {
        // Doesn't follow links: their targets can belong to something else.
        if (entry.isDirectory()) visit(path)
        else if (entry.isFile() && unused(path)) rmSync(join(modules, path))
      } catch {
        // A leftover file does no harm.
      }
    }
  }
  visit("")
}

export function afterInstall() {
  const { platform, arch } = process
  if (!existsSync(folder)) return
  prune(folder, isUnused({ platform, arch, isDeveloper: existsSync(join(folder, "vitest")) }))
  runBuilder("../../command/install/join-command.ts")
  runBuilder("../../faces/build/build-command.ts")
}

/** Time limit for a build. A build takes less than a second, or thirty times that on a busy machine. */
const BUILD_MS = 60_000

function runBuilder(/** @type {string} */ path) {
  const builder = fileURLToPath(new URL(path, import.meta.url))
  if (!existsSync(builder)) return
  const node = isNewEnough(process.versions.node) ? process.execPath : installedNode(import.meta.url)
  if (node !== null) spawnSync(node, [builder], { stdio: "ignore", timeout: BUILD_MS })
}
