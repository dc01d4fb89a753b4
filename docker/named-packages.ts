import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The folders of code in the image. */
export const IMAGE_CODE: readonly string[] = ["api", "base", "command", "crawler", "engine"]

const NAMED = /(?:\bfrom |\bimport\(?\s*)"((?!node:|[.#])[\w@][\w./@-]*)"/g
const TYPES_ONLY = /^import type .*$/gm

/** Only `fossick payments try` needs this package. The image lacks it, and the command then says what to install. */
const FOR_CLONES = new Set(["@x402/fetch"])

/**
 * Every required package that the code imports, with its path as in the import: `viem/chains`.
 *
 * @param root the folder that contains the code folders: a clone's, or the image's `/app`
 * @param counts whether to read a file, given its path in `root`
 */
export function namedPackages(
  root: string,
  counts: (path: string) => boolean = () => true,
): ReadonlySet<string> {
  const packages = new Set<string>()
  for (const part of IMAGE_CODE) {
    for (const name of readdirSync(join(root, part), { recursive: true, encoding: "utf8" })) {
      const path = join(part, name)
      if (!name.endsWith(".ts") || !counts(path)) continue
      const code = readFileSync(join(root, path), "utf8").replaceAll(TYPES_ONLY, "")
      for (const [, named] of code.matchAll(NAMED))
        if (named !== undefined && !FOR_CLONES.has(named)) packages.add(named)
    }
  }
  return packages
}
