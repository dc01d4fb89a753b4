import { JOINED } from "../install/join-modules.ts"

/** The fields of a package in a lock file (lockfileVersion 3) that are used here. */
export interface Locked {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Lock {
  /** Keyed by paths such as `node_modules/a/node_modules/b`. */
  readonly packages: Readonly<Record<string, Locked>>
}

/** A package that contains the Node program for one system. */
export interface NodePackage {
  readonly version: string
}

export type Manifest = Readonly<Record<string, unknown>> & {
  readonly dependencies: Readonly<Record<string, string>>
  readonly overrides: Readonly<Record<string, string>>
}

/** A package's dependencies, with exact versions. */
export interface Asking {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const merged = (all: readonly Readonly<Record<string, string>>[]): Record<string, string> =>
  Object.fromEntries(all.flatMap((one) => Object.entries(one)))

/** Tools that build the web pages in a clone; the package contains the built pages. */
const BUILDERS: ReadonlySet<string> = new Set(["preact", "rolldown"])

const KEPT = ["name", "version", "description", "license", "type", "bin", "engines"]

/**
 * The package.json of the npm package. The package `node` is left out, because its install script would download the
 * program: the packages that contain the program replace it, and npm installs the one that fits the machine. Packages
 * listed as `bundled` are inside the package.
 */
export function packedManifest(
  own: Manifest,
  nodes: Readonly<Record<string, NodePackage>>,
  bundled: Readonly<Record<string, Asking>>,
): object {
  const { node: _, ...all } = own.dependencies
  const dependencies = Object.fromEntries(Object.entries(all).filter(([name]) => !BUILDERS.has(name)))
  const asked = Object.values(bundled)
  return {
    ...Object.fromEntries(KEPT.map((key) => [key, own[key]])),
    exports: withTypes(own["exports"] as Readonly<Record<string, string>>),
    imports: JSON.parse(JSON.stringify(own["imports"]).replaceAll('.ts"', '.js"')) as unknown,
    dependencies: { ...merged(asked.map((one) => one.dependencies)), ...dependencies },
    optionalDependencies: {
      ...merged(asked.map((one) => one.optionalDependencies)),
      ...Object.fromEntries(Object.entries(nodes).map(([name, { version }]) => [name, version])),
    },
    bundleDependencies: Object.keys(bundled),
  }
}

/** Modules of the package that programs import: JavaScript, each with a file of its types beside it. */
function withTypes(exports: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(exports).map(([name, file]) => [
      name,
      file.endsWith(".ts")
        ? { types: file.replace(/\.ts$/, ".d.ts"), default: file.replace(/\.ts$/, ".js") }
        : file,
    ]),
  )
}

/**
 * Dependencies that the package bundles: those whose modules are joined, and those with a dependency that `overrides`
 * replaces in a clone. npm ignores `overrides` and, for a package that is a file, the lock of a dependency, so the
 * packages of the second kind get package.json files with the right versions. Otherwise the index's package would
 * install a second runtime for models, and the first runtime a build of sharp.
 */
export function bundledNames({ dependencies, overrides }: Manifest, { packages }: Lock): string[] {
  return Object.keys(dependencies).filter((name) => {
    const asked = packages[`node_modules/${name}`]
    if (JOINED.includes(name)) return true
    return Object.keys({ ...asked?.dependencies, ...asked?.optionalDependencies }).some(
      (one) => one in overrides,
    )
  })
}

/** The package.json of a bundled package, with its dependencies as locked in the clone. */
export function bundledManifest(
  name: string,
  manifest: Readonly<Record<string, unknown>>,
  own: Manifest,
  lock: Lock,
): Asking {
  const pinned = (asked: unknown) =>
    Object.fromEntries(
      Object.keys(asked ?? {}).map((one) => [one, own.overrides[one] ?? lockedVersion(lock, name, one)]),
    )
  const {
    scripts: _,
    devDependencies: _dev,
    peerDependencies: _peers,
    peerDependenciesMeta: _meta,
    engines: _engines,
    ...kept
  } = manifest
  return {
    ...kept,
    dependencies: pinned(manifest["dependencies"]),
    optionalDependencies: pinned(manifest["optionalDependencies"]),
  }
}

function lockedVersion({ packages }: Lock, from: string, name: string): string {
  const found = packages[`node_modules/${from}/node_modules/${name}`] ?? packages[`node_modules/${name}`]
  if (found?.version === undefined)
    throw new Error(`${from} needs ${name}, which is not in package-lock.json`)
  return found.version
}
