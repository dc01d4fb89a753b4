import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

import { packedFiles } from "../release/packed-files.ts"
import { thirdParties } from "./third-party.ts"
import { manifestText, sha256, signed } from "../release/release-manifest.ts"

/** The fields of npm's SBOM (CycloneDX 1.5) that are used here. */
interface Sbom {
  readonly metadata: { readonly component: { name: string; readonly "bom-ref": string } }
  readonly components: readonly { readonly "bom-ref": string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * Writes the files that accompany a package: the SBOM of the packages that the lock file lists for an installation, the
 * manifest with the hashes of all files, and its signature.
 * @param file the package, `fossick-<version>.tgz`
 * @param key file of the private key that signs; `null` if it is not signed
 * @returns the files that were written
 */
export async function writeRelease(
  root: string,
  file: string,
  key: string | null,
): Promise<readonly string[]> {
  const base = file.replace(/\.tgz$/, "")
  const sbom = `${base}.cdx.json`
  writeFileSync(sbom, sbomOf(root))
  const inFolder = [file, sbom].map((one) => ({ path: basename(one), sha256: sha256(readFileSync(one)) }))
  const text = manifestText([...inFolder, ...(await packedFiles(file))])
  const manifest = join(dirname(file), `${basename(base)}.manifest`)
  writeFileSync(manifest, text)
  if (key === null) return [sbom, manifest]
  const signature = `${manifest}.sig`
  writeFileSync(signature, signed(text, readFileSync(key, "utf8")))
  return [sbom, manifest, signature]
}

/**
 * The SBOM, made by npm from the lock file alone, without asking a registry. Development packages are left out here
 * instead of with npm's `--omit dev`, which also leaves out packages that development and production both need.
 */
export function sbomOf(root: string): string {
  const text = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
    maxBuffer: 64_000_000,
    stdio: ["ignore", "pipe", "ignore"],
  })
  const sbom = JSON.parse(text) as Sbom
  const { component } = sbom.metadata
  // npm uses the folder's name.
  component.name = "fossick"
  const installed = new Set(thirdParties(root).map(({ name, version }) => `${name}@${version}`))
  // A package that replaces another one has the replaced package's name in `name`.
  const components = sbom.components.filter((one) => installed.has(one["bom-ref"]))
  const refs = new Set([component["bom-ref"], ...components.map((one) => one["bom-ref"])])
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) }))
  return `${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`
}
