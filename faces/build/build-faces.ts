import { createHash } from "node:crypto"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

import { type OutputChunk, rolldown } from "rolldown"

import { FACES, type Face } from "./faces.ts"
import { facePage } from "./page.ts"

/** The folder of the build. */
export const BUILT = join(import.meta.dirname, "../dist")

const ROOT = join(import.meta.dirname, "../..")
const MANIFEST = "manifest.json"
/** The inputs of a build, besides the version of the builder. */
const SOURCES = ["faces", "api/client"]
/** Minimum size for compression: smaller files don't shrink. */
const LEAST_BYTES = 300

/** The results of a build, in `dist/manifest.json`. */
export interface Manifest {
  /** A digest of all the inputs: a clone builds again when it differs. */
  readonly sources: string
  /** File names of the pages by the names of their faces. */
  readonly pages: Readonly<Record<string, string>>
  /** File names of the scripts by the names of their faces. */
  readonly scripts: Readonly<Record<string, string>>
  /** Size of each file when sent with brotli, in bytes, by file name. */
  readonly sizes: Readonly<Record<string, number>>
}

/** Builds the faces into `folder` unless it already contains a build of exactly these sources. @returns whether it built them */
export async function buildFaces(folder = BUILT): Promise<boolean> {
  const sources = digestOfSources()
  if (builtOf(folder) === sources) return false
  mkdirSync(dirname(folder), { recursive: true })
  // Builds in another folder and puts the result in place in one step: readers get either the old build or the new one.
  const stage = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`))
  try {
    const sizes: Record<string, number> = {}
    const write = (name: string, content: string) => {
      sizes[name] = writeCompressed(join(stage, name), content)
    }
    const pages: Record<string, string> = {}
    const scripts: Record<string, string> = {}
    for (const face of FACES) {
      const script = await bundle(face)
      write(script.fileName, script.code)
      scripts[face.name] = script.fileName
      if (face.page === undefined) continue
      const style = { name: hashed(`${face.name}.css`, styleOf(face)), text: styleOf(face) }
      write(style.name, style.text)
      pages[face.name] = `${face.name}.html`
      write(`${face.name}.html`, facePage(face.page, { script: script.fileName, style: style.name }))
    }
    const icon = readFileSync(join(ROOT, "faces/design/icon.svg"), "utf8")
    write("icon.svg", icon)
    const manifest: Manifest = { sources, pages, scripts, sizes }
    writeFileSync(join(stage, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
    // A temporary folder is private to the user who creates it; a build is for every user who runs the appliance.
    chmodSync(stage, 0o755)
    putInPlace(stage, folder)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
  return true
}

async function bundle(face: Face): Promise<Pick<OutputChunk, "fileName" | "code">> {
  const { name, entry, page } = face
  const build = await rolldown({
    input: { [name]: join(ROOT, "faces", entry) },
    cwd: ROOT,
    platform: "browser",
    // Everything that a tsconfig would specify for the bundle is here.
    tsconfig: false,
    transform: {
      jsx: { runtime: "automatic", importSource: "preact" },
      target: "es2022",
      // A page of another site doesn't link our style sheet: the styles come with the script.
      ...(page === undefined && { define: { FACE_STYLES: JSON.stringify(stylesWithin(face)) } }),
    },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message)
    },
  })
  try {
    const { output } = await build.generate({
      // A classic script knows its own element, and therefore the text that the page puts in it.
      format: page === undefined ? "iife" : "esm",
      minify: true,
      entryFileNames: "[name]-[hash].js",
      codeSplitting: false,
    })
    const [chunk] = output
    return chunk
  } finally {
    await build.close()
  }
}

const styleOf = ({ styles }: Face): string =>
  styles.map((file) => readFileSync(join(ROOT, "faces", file), "utf8")).join("\n")

/** Size in pixels that replaces a rem: other people's pages may set any root font size. */
const ROOT_PX = 16

/** The styles of a face for a shadow tree, with nothing inherited from the page around it. */
const stylesWithin = (face: Face): string =>
  styleOf(face)
    .replaceAll(/:root\[([^\]]*)\]/g, ":host([$1])")
    .replaceAll(":root", ":host")
    .replaceAll(/(\d*\.?\d+)rem\b/g, (_, rem: string) => `${Number(rem) * ROOT_PX}px`)
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")

const hashed = (name: string, text: string): string =>
  name.replace(/(?=\.\w+$)/, `-${createHash("sha256").update(text).digest("base64url").slice(0, 8)}`)

/** Writes the compressed file beside the original, at the highest compression level since it is done only once. @returns size with brotli, in bytes */
function writeCompressed(file: string, content: string): number {
  const bytes = Buffer.from(content)
  writeFileSync(file, bytes)
  if (bytes.length < LEAST_BYTES) return bytes.length
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  writeFileSync(`${file}.br`, brotli)
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  return brotli.length
}

/** Another process may be doing the same: the last one wins, and both builds are correct. */
function putInPlace(stage: string, folder: string): void {
  const old = `${stage}-old`
  for (let tries = 0; ; tries++) {
    try {
      renameSync(folder, old)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    }
    rmSync(old, { recursive: true, force: true })
    try {
      renameSync(stage, folder)
      return
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (tries >= 9 || (code !== "ENOTEMPTY" && code !== "EEXIST")) throw error
    }
  }
}

function builtOf(folder: string): string | null {
  try {
    return (JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")) as Manifest).sources
  } catch {
    return null
  }
}

function digestOfSources(): string {
  const hash = createHash("sha256")
  const versions = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const { rolldown: builder, preact, marked, "eventsource-parser": events } = versions.dependencies
  hash.update(JSON.stringify([builder, preact, marked, events]))
  for (const file of SOURCES.flatMap(sourcesIn).sort()) {
    hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file))
  }
  return hash.digest("base64url")
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.(tsx?|css|svg)$/.test(entry.name) && !entry.name.endsWith(".test.ts"),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](testing|dist|\.dist-[^\\/]*)[\\/]/.test(path))
