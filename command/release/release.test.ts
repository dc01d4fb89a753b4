import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { thirdParties } from "../pack/third-party.ts"
import { sbomOf, writeRelease } from "../pack/write-release.ts"
import { FOSSICK } from "../testing/fossick.ts"
import { readManifest } from "./release-manifest.ts"

// A small package, released, signed with a key from openssl, and checked with the commands in the handbook.

const ROOT = join(import.meta.dirname, "../..")
const PAGE = readFileSync(join(ROOT, "docs/upgrade.md"), "utf8")
const folder = mkdtempSync(join(tmpdir(), "fossick-release-"))
const release = join(folder, "release")

const sh = (line: string, cwd = release): string =>
  execFileSync("bash", ["-euc", line], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

/** The commands in the handbook below a heading, unchanged, for this version. */
function linesOf(heading: string): string {
  const [, lines = ""] = new RegExp(`## ${heading}\\n[^]*?\`\`\`sh\\n([^]*?)\`\`\``).exec(PAGE) ?? []
  return lines
}

function fossick(...args: readonly string[]): { readonly code: number; readonly out: string } {
  try {
    return {
      code: 0,
      out: execFileSync(process.execPath, [FOSSICK, "verify", ...args], {
        cwd: release,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      }),
    }
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string }
    return { code: status, out: stdout + stderr }
  }
}

beforeAll(async () => {
  const stage = join(folder, "stage")
  mkdirSync(join(stage, "docs"), { recursive: true })
  mkdirSync(release)
  writeFileSync(join(stage, "package.json"), JSON.stringify({ name: "fossick", version: "0.1.0" }))
  for (const file of ["LICENSE", "docs/README.md"]) cpSync(join(ROOT, file), join(stage, file))
  sh(`npm pack --silent --ignore-scripts --pack-destination ${release}`, stage)
  sh(
    linesOf("Sign a release")
      .split("\n")
      .filter((line) => line.startsWith("openssl"))
      .join("\n"),
  )
  await writeRelease(ROOT, join(release, "fossick-0.1.0.tgz"), join(release, "release.pem"))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("a release", () => {
  test("can be checked by openssl and sha256sum, with the handbook's commands", () => {
    expect(sh(linesOf("With standard tools"))).toMatch(
      /Signature Verified Successfully[^]*fossick-0\.1\.0\.tgz: OK/,
    )
  })

  test("can be checked by fossick verify, with the handbook's command", () => {
    const [line = ""] = /npx fossick verify \S+ --key \S+/.exec(linesOf("With Fossick")) ?? []
    const { code, out } = fossick(...line.split(" ").slice(3))
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^All \d+ files match the signed manifest\.\n$/),
    })
  })

  test("is rejected if it was changed: the signature, a file, a file in the package, another key", async () => {
    const manifest = join(release, "fossick-0.1.0.manifest")
    const check = () => fossick("fossick-0.1.0.manifest", "--key", "release.pub")
    const text = readFileSync(manifest)
    appendFileSync(manifest, `${"0".repeat(64)}  package/more.js\n`)
    expect(check()).toMatchObject({ code: 1, out: expect.stringContaining("was not signed with the key") })
    writeFileSync(manifest, text)
    const sbom = join(release, "fossick-0.1.0.cdx.json")
    const bytes = readFileSync(sbom)
    writeFileSync(sbom, "{}")
    expect(check()).toMatchObject({ code: 1, out: "fossick-0.1.0.cdx.json is missing or was changed\n" })
    writeFileSync(sbom, bytes)
    // Another package with the same name, with one additional file and one that differs.
    const other = join(folder, "other")
    mkdirSync(other)
    sh(
      `tar xzf ${release}/fossick-0.1.0.tgz; echo more >> package/LICENSE; echo new > package/new.js; tar czf ${release}/fossick-0.1.0.tgz package`,
      other,
    )
    const { code, out } = check()
    expect(code).toBe(1)
    for (const line of [
      "fossick-0.1.0.tgz is missing or was changed",
      "package/LICENSE is missing or was changed",
      "package/new.js is not in the manifest",
    ])
      expect(out).toContain(line)
    sh("openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out other.pub")
    expect(fossick("fossick-0.1.0.manifest", "--key", "other.pub").code).toBe(1)
    expect(fossick("fossick-0.1.0.manifest", "--key", "none.pub").out).toContain(
      "none.pub, the public key, cannot be read",
    )
    expect(fossick("fossick-0.1.0.manifest").code).toBe(2)
  })

  test("can be checked in place when installed", () => {
    // A clone holds the two files exactly as the package does, but its package.json differs.
    const { code, out } = fossick("fossick-0.1.0.manifest", "--key", "release.pub", "--installed")
    expect({ code, out }).toEqual({ code: 1, out: "package/package.json is missing or was changed\n" })
  })
})

test("the SBOM has exactly the packages on the licence page", () => {
  const { components, dependencies } = JSON.parse(sbomOf(ROOT)) as {
    readonly components: readonly { purl: string; "bom-ref": string }[]
    readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[]
  }
  expect(components.map((one) => one["bom-ref"]).toSorted()).toEqual(
    thirdParties(ROOT)
      .map(({ name, version }) => `${name}@${version}`)
      .toSorted(),
  )
  expect(components.filter(({ purl }) => !purl.startsWith("pkg:npm/"))).toEqual([])
  const refs = new Set(components.map((one) => one["bom-ref"]))
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([])
})

test("rejects an invalid manifest by line", () => {
  expect(() => readManifest("x  y\n")).toThrow("line 1 is not a hash")
  const line = `${"0".repeat(64)}  a\n`
  expect(() => readManifest(line + line)).toThrow("lists a file twice")
})
