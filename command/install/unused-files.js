// Plain JavaScript for the Node that npm runs on, like find-node.js.

/**
 * Files in packages that Fossick never loads, as patterns for paths below `node_modules`.
 *
 * @type {readonly RegExp[]}
 */
const UNUSED = [
  // C headers in the package `node`.
  /^node\/node_modules\/[^/]+\/include\//,
  /\.map$/,
  // Browser builds; the packages also contain builds for Node.
  /^@xenova\/transformers\/dist\//,
  /^officeparser\/dist\/officeparser\.browser/,
  /^tinyld\/playground\//,
  /^luxon\/(src\/|build\/(?!node\/))/,
  // Builds for another runtime, Bare.
  /^bare-[^/]+\/prebuilds\//,
  // Duplicates of the ES modules.
  /^(viem|ox)\/_cjs\//,
]

/** Files that only developers of Fossick need, who install all packages. */
const FOR_DEVELOPERS = [/^@typescript\/typescript-/, /\.d\.[cm]?ts$/, /^(viem|ox)\/_types\//]

const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i

/**
 * @param {{ platform: string, arch: string, isDeveloper: boolean }} machine
 * @returns {(path: string) => boolean} whether a file isn't needed; its path is below `node_modules`, with slashes
 */
export function isUnused({ platform, arch, isDeveloper }) {
  // This package contains the model runtime for all systems.
  const otherSystems = new RegExp(`^onnxruntime-node/bin/[^/]+/(?!${platform}/${arch}/)`)
  const patterns = [otherSystems, ...UNUSED, ...(isDeveloper ? [] : FOR_DEVELOPERS)]
  return (path) => !LICENCE.test(path) && patterns.some((pattern) => pattern.test(path))
}
