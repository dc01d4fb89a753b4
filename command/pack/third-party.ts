import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The fields of a package in the lock file that concern its licence. */
interface Locked {
  /** Set for a package that replaces another one: its own name. */
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

/** A package that an installation can contain. */
export interface ThirdParty {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly licence: string
}

/**
 * Licences that a package of an installation may have (SPDX). All of them allow Fossick to be distributed under its own
 * licence; libvips, under the LGPL, is loaded as a separate library, which anyone may replace.
 */
export const ALLOWED: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC-BY-4.0",
  "CC0-1.0",
  "ISC",
  "LGPL-3.0-or-later",
  "MIT",
  "MIT-0",
])

/** Packages whose lock entry has no licence or no SPDX expression; the licence comes from the packages' own files. */
const STATED: Readonly<Record<string, string>> = {
  // SCOWL, whose terms are those of MIT, with the affixes of Ispell.
  "dictionary-en": "MIT AND BSD-3-Clause",
  "json-bignum": "MIT",
  "map-stream": "MIT",
  "pause-stream": "MIT OR Apache-2.0",
}

/** Third-party code in the repository. */
const IN_REPOSITORY: readonly (readonly [string, string, string])[] = [
  ["all-MiniLM-L6-v2 (model)", "Apache-2.0", "engine/models/all-MiniLM-L6-v2/LICENSE"],
  ["multilingual-e5-small (model)", "MIT", "engine/models/multilingual-e5-small/LICENSE"],
  ["unit-reader-en (model)", "Apache-2.0", "engine/models/unit-reader-en/LICENSE"],
  ["Snowball's Polish stemmer, in TypeScript", "BSD-3-Clause", "engine/text/analysis/LICENSE-snowball"],
  ["Adobe's CMaps, as packed by pdf.js", "BSD-3-Clause", "crawler/page/formats/pdf/cmaps/LICENSE"],
]

/**
 * The packages in the lock file that an installation can contain: without development packages, but with packages for
 * other machines.
 */
export function thirdParties(root: string): readonly ThirdParty[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const found = new Map<string, ThirdParty>()
  for (const [path, { name: own, version = "", license, dev }] of Object.entries(packages)) {
    if (path === "" || dev === true) continue
    const name = own ?? path.replace(/^.*node_modules\//, "")
    found.set(`${name} ${version}`, { name, version, licence: STATED[name] ?? license ?? "unknown" })
  }
  return [...found.values()].toSorted((a, b) => order(a.name, b.name) || order(a.version, b.version))
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Whether a licence is allowed: at least one of several alternatives, or every one of several that apply together. */
export const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => one.split(" AND ").every((part) => ALLOWED.has(part)))

/** The text of THIRD-PARTY.md. */
export function thirdPartyText(root: string): string {
  const packages = thirdParties(root)
  const byLicence = new Map<string, number>()
  for (const { licence } of packages) byLicence.set(licence, (byLicence.get(licence) ?? 0) + 1)
  return [
    "# Third-party software",
    "Packages that an installation of Fossick can contain, with their licences, as listed in `package-lock.json`; some are for machines other than yours. `npm run third-party` writes this file, and a test compares it. The text of each licence is in the package itself. The [manifest and SBOM](docs/upgrade.md#verify-the-release) of a release list its files and their hashes.",
    "| licence | packages |\n|---|---|",
    [...byLicence]
      .toSorted(([, a], [, b]) => b - a)
      .map(([one, count]) => `| ${one} | ${count} |`)
      .join("\n"),
    "Also in the repository:",
    "| what | licence | text |\n|---|---|---|",
    IN_REPOSITORY.map(([name, licence, file]) => `| ${name} | ${licence} | \`${file}\` |`).join("\n"),
    "| package | version | licence |\n|---|---|---|",
    packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`).join("\n"),
  ]
    .join("\n\n")
    .replaceAll("|---|\n\n|", "|---|\n|")
    .concat("\n")
}
