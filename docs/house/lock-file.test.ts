import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

interface Entry {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}

const file = join(import.meta.dirname, "../../package-lock.json")
const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> }
const entries = Object.entries(packages)
  .filter(([path]) => path !== "")
  .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ""), ...entry }))

/**
 * Builds for other machines for which the registry had no metadata when the lock file was made, so that npm had no hash
 * to write. On installation, npm checks them against the registry's hash. Nothing may be added here; anything that has
 * a hash is removed.
 */
const WITHOUT_HASH = {
  production: namesOf(
    "@lancedb/lancedb",
    "darwin-arm64 linux-arm64-gnu linux-arm64-musl win32-arm64-msvc win32-x64-msvc",
  ),
  development: [
    namesOf(
      "@oxc-parser/binding",
      `android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-ppc64-gnu
       linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc`,
    ),
    ["@oxfmt/binding", "@oxlint/binding"].flatMap((prefix) =>
      namesOf(
        prefix,
        `android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf
         linux-arm64-musl linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu linux-x64-musl openharmony-arm64
         win32-arm64-msvc win32-ia32-msvc win32-x64-msvc`,
      ),
    ),
    ["darwin-arm64", "darwin-x64", "win32-arm64", "win32-x64"].map((os) => `@oxlint-tsgolint/${os}`),
  ].flat(),
}

function namesOf(prefix: string, machines: string): string[] {
  return machines.split(/\s+/).map((machine) => `${prefix}-${machine}`)
}

test("every package has its hash in the lock file, except a closed list of builds for other machines", () => {
  const bare = entries.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))
  const names = (dev: boolean) =>
    bare
      .filter((entry) => (entry.dev === true) === dev)
      .map(({ name }) => name)
      .toSorted()
  expect(names(false)).toEqual(WITHOUT_HASH.production)
  expect(names(true)).toEqual(WITHOUT_HASH.development.toSorted())
  // All of these packages are optional: machines can do without them.
  expect(bare.filter(({ optional }) => optional !== true)).toEqual([])
})

test("every package comes from the npm registry", () => {
  const elsewhere = entries.filter(
    ({ resolved, integrity }) =>
      integrity !== undefined && !resolved?.startsWith("https://registry.npmjs.org/"),
  )
  expect(elsewhere).toEqual([])
})

/** Packages with an install script, and whether npm may run it: `allowScripts` in package.json. */
const INSTALL_SCRIPTS = {
  // Its script installs this machine's Node.js from a package in the lock file; if the script isn't run,
  // command/find-node.js still finds that Node.js.
  node: true,
  // Its install script would look for a program that the packages in the lock file already provide.
  "@foundry-rs/anvil": false,
}

test("no package runs an install script except the listed ones", () => {
  const own = JSON.parse(readFileSync(join(file, "../package.json"), "utf8")) as {
    readonly allowScripts: Readonly<Record<string, boolean>>
    readonly dependencies: Readonly<Record<string, string>>
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const bringing = entries.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name)
  expect(bringing.toSorted()).toEqual(Object.keys(INSTALL_SCRIPTS).toSorted())
  expect(own.allowScripts).toEqual(INSTALL_SCRIPTS)
  // Every requested version is an exact version.
  const asked = Object.values({ ...own.dependencies, ...own.devDependencies })
  expect(asked.filter((version) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
})

test("the blockchain used in payment tests is a development dependency only", () => {
  const chain = entries.filter(({ name }) => name.startsWith("@foundry-rs/"))
  expect(chain.map(({ name }) => name)).toContain("@foundry-rs/anvil-linux-amd64")
  expect(chain.filter(({ dev }) => dev !== true)).toEqual([])
})
