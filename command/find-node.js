// Plain JavaScript that any Node from 14 on can read: it runs before there is a Node that can run the rest.
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The oldest Node that runs Fossick: TypeScript without a flag, node:sqlite, and what the tests run on. */
export const NODE_MAJOR = 24

/**
 * @param {string} version such as `24.21.0`
 */
export const isNewEnough = (version) => Number(version.split(".")[0]) >= NODE_MAJOR

/**
 * The Node that npm installed together with Fossick: that of the package `node`, which its install script puts in place,
 * or that of the package for this system, which holds the program itself. npm may have been told to run no scripts.
 *
 * @param {string} from a file from which packages are looked for, as an address
 * @returns {string | null} path of the program
 */
export function installedNode(from) {
  const require = createRequire(from)
  for (const [name, program] of packages()) {
    try {
      const file = join(dirname(require.resolve(`${name}/package.json`)), program)
      if (existsSync(file)) return file
    } catch {
      // It is not installed; the next one may be.
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

/** What to do where there is no Node to run Fossick on. */
export const noNode = (
  version,
) => `Fossick needs Node.js ${NODE_MAJOR} or newer. This is ${version}, and the one that npm installs with Fossick
is missing (on ${process.platform} ${process.arch}). Do one of these:
  - install Node.js ${NODE_MAJOR} from https://nodejs.org/ and run the command again;
  - in a clone, run npm ci again, without --omit=optional, and let it run the install script of the package node.
`
