// Plain JavaScript for the Node that npm runs on, as find-node.js.

/**
 * What packages bring and nothing of Fossick loads, as patterns of paths below `node_modules`.
 *
 * @type {readonly RegExp[]}
 */
const UNUSED = [
  // The package `node`: headers for programs in C.
  /^node\/node_modules\/[^/]+\/include\//,
  /\.map$/,
  // For browsers, beside the same for Node.
  /^@xenova\/transformers\/dist\//,
  /^officeparser\/dist\/officeparser\.browser/,
  /^tinyld\/playground\//,
  /^luxon\/(src\/|build\/(?!node\/))/,
  // For another runtime, Bare.
  /^bare-[^/]+\/prebuilds\//,
  // The same as their ES modules.
  /^(viem|ox)\/_cjs\//,
]

/** For those who develop Fossick, who have all packages. */
const FOR_DEVELOPERS = [/^@typescript\/typescript-/, /\.d\.[cm]?ts$/, /^(viem|ox)\/_types\//]

const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i

/**
 * @param {{ platform: string, arch: string, isDeveloper: boolean }} machine
 * @returns {(path: string) => boolean} whether a file below `node_modules`, named with slashes, is of no use there
 */
export function isUnused({ platform, arch, isDeveloper }) {
  // It brings the runtime of models for all systems at once.
  const otherSystems = new RegExp(`^onnxruntime-node/bin/[^/]+/(?!${platform}/${arch}/)`)
  const patterns = [otherSystems, ...UNUSED, ...(isDeveloper ? [] : FOR_DEVELOPERS)]
  return (path) => !LICENCE.test(path) && patterns.some((pattern) => pattern.test(path))
}
