// Plain JavaScript that Node 14 and later can run, because it finds the Node that can run the rest.
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The oldest Node that runs Fossick: it runs TypeScript without a flag, has node:sqlite, and is the one that the tests use. */
export const NODE_MAJOR = 24

/**
 * @param {string} version such as `24.21.0`
 */
export const isNewEnough = (version) => Number(version.split(".")[0]) >= NODE_MAJOR

/**
 * The Node that npm installed together with Fossick: the program in the package `node`, which that package's install script
 * puts in place, or the one in the package for this system, which contains it. npm can be configured to run no install scripts.
 *
 * @param {string} from URL of a file; packages are resolved from there
 * @returns {string | null} path of the program
 */
export function installedNode(from) {
  const require = createRequire(from)
  for (const [name, program] of packages()) {
    try {
      const file = join(dirname(require.resolve(`${name}/package.json`)), program)
      if (existsSync(file)) return file
    } catch {
      // This package isn't installed; the next one might be.
    }
  }
  return null
}

/** @returns {[string, string][]} names of packages, and the program in each */
function packages() {
  const { platform, arch } = process
  const system = platform === "win32" ? "win" : platform
  const program = platform === "win32" ? "bin/node.exe" : "bin/node"
  const prefix = platform === "darwin" && arch === "arm64" ? "node-bin" : "node"
  const name = `${prefix}-${system}-${arch}`
  return [
    [name, program],
    [`node/node_modules/${name}`, program],
    ["node", program],
  ]
}

/** The error message when there is no Node that can run Fossick. */
export const noNode = (
  version,
) => `Fossick needs Node.js ${NODE_MAJOR} or newer. This is ${version}, and the one that npm installs with Fossick
is missing (on ${process.platform} ${process.arch}). Do one of these:
  - install Node.js ${NODE_MAJOR} from https://nodejs.org/ and run the command again;
  - in a clone, run npm ci again, without --omit=optional, and let it run the install script of the package node.
`
