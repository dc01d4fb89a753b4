import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { printableLine } from "#base/text/printable.ts"

import { packedFiles } from "./packed-files.ts"
import { isSigned, readManifest, type ReleaseFile, sha256 } from "./release-manifest.ts"

// `fossick verify`: checks whether the files of a release, or the installed ones, match the signed manifest.

const INSTALLED = join(import.meta.dirname, "../..")
const PACKED = "package/"
const SHOWN = 20

export interface VerifyWanted {
  /** The manifest; its signature is in the file of the same name with `.sig` added. */
  readonly manifest: string
  /** File of the public key. */
  readonly key: string
  /** Whether to check the files of the running Fossick, instead of those beside the manifest. */
  readonly installed: boolean
  readonly json: boolean
}

export async function verifyRelease({ manifest, key, installed, json }: VerifyWanted): Promise<number> {
  const text = read(manifest, "the manifest").toString("utf8")
  const signature = read(`${manifest}.sig`, "the signature")
  if (!checked(() => isSigned(text, signature, read(key, "the public key").toString("utf8")), key)) {
    throw new CommandError(
      `${manifest} was not signed with the key in ${key}, or was changed afterwards. Do not use it.`,
    )
  }
  const files = checked(() => readManifest(text), manifest)
  const wanted = installed ? files.filter(({ path }) => path.startsWith(PACKED)) : files
  const there = installed ? installedFiles(wanted) : await releasedFiles(manifest, files)
  const wrong = wanted.filter(({ path, sha256: hash }) => there.get(path) !== hash).map(({ path }) => path)
  const listed = new Set(files.map(({ path }) => path))
  const extra = [...there.keys()].filter((path) => !listed.has(path))
  const isGood = wrong.length === 0 && extra.length === 0
  if (json) print(JSON.stringify({ files: wanted.length, wrong, extra, signed: true }))
  else if (isGood) print(`All ${wanted.length} files match the signed manifest.`)
  else {
    for (const path of wrong.slice(0, SHOWN)) print(`${printableLine(path)} is missing or was changed`)
    for (const path of extra.slice(0, SHOWN)) print(`${printableLine(path)} is not in the manifest`)
    const more = wrong.length + extra.length - Math.min(wrong.length, SHOWN) - Math.min(extra.length, SHOWN)
    if (more > 0) print(`and ${more} more`)
  }
  return isGood ? EXIT.ok : EXIT.failed
}

/** The files beside the manifest, including those in the package. */
async function releasedFiles(
  manifest: string,
  files: readonly ReleaseFile[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { path } of files) {
    if (path.startsWith(PACKED)) continue
    const file = join(dirname(manifest), path)
    found.set(path, sha256(read(file, "a file of the release")))
    if (!path.endsWith(".tgz")) continue
    const packed = await packedFiles(file).catch((error: unknown) => {
      throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
    })
    for (const one of packed) found.set(one.path, one.sha256)
  }
  return found
}

/** The installed files of a package. npm may add more, so only the listed ones are checked. */
function installedFiles(files: readonly ReleaseFile[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { path } of files) {
    const inside = path.slice(PACKED.length)
    try {
      found.set(path, sha256(readFileSync(join(INSTALLED, inside))))
    } catch {
      // A missing file is reported as such.
    }
  }
  return found
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new CommandError(
      `${file}, ${what}, cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`,
    )
  }
}

function checked<T>(work: () => T, file: string): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${file}: ${(error as Error).message}`)
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
