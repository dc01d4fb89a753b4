import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { promisify } from "node:util"

import { digestOf, type PreparedBody } from "../server/wire/prepared-body.ts"

/** The built faces. */
export interface BuiltFaces {
  /** The page of a face, such as `search`. */
  page(face: string): PreparedBody | undefined
  file(name: string): PreparedBody | undefined
  /** A face's script, for embedding in other people's pages. */
  script(face: string): { readonly name: string; readonly file: PreparedBody } | undefined
}

interface Manifest {
  readonly pages: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** Maximum build time in milliseconds: a build takes less than a second, or thirty times as long on a busy machine. */
const BUILD_MS = 60_000

/**
 * The faces in `<folder>/dist`. In a clone, which contains the build tools, they are built first if they are missing or
 * older than their sources and the folder is writable; packages and images include them already built.
 * @param folder of the faces
 * @throws Error when there is no build and none can be made
 */
export async function openBuilt(folder: string): Promise<BuiltFaces> {
  const builder = join(folder, "build/build-command.ts")
  const dist = join(folder, "dist")
  if (existsSync(builder)) {
    // The build runs in a child process, so that this process keeps answering meanwhile and doesn't retain the
    // compiler's memory.
    await promisify(execFile)(process.execPath, [builder], { timeout: BUILD_MS }).catch((error: unknown) => {
      // A build older than its sources is better than none: the folder might belong to another user.
      if (!existsSync(join(dist, "manifest.json"))) throw error
    })
  }
  const { pages, scripts } = JSON.parse(await readFile(join(dist, "manifest.json"), "utf8")) as Manifest
  const names = await readdir(dist)
  const there = new Set(names)
  const read = (name: string) => (there.has(name) ? readFile(join(dist, name)) : null)
  const files = new Map<string, PreparedBody>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const plain = await readFile(join(dist, name))
    const [br, gzip] = await Promise.all([read(`${name}.br`), read(`${name}.gz`)])
    files.set(name, { type, plain, br, gzip, etag: digestOf(plain) })
  }
  return {
    page: (face) => files.get(pages[face] ?? ""),
    file: (name) => files.get(name),
    script(face) {
      const name = scripts[face] ?? ""
      const file = files.get(name)
      return file && { name, file }
    },
  }
}
