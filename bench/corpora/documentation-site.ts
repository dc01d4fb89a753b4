import { type ChildProcess, execFile, fork } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { glob, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs, promisify } from "node:util"
import { serveFolder } from "./static-site.ts"

const run = promisify(execFile)

/** Where packages are unpacked and the throw-away Python environment lives. Safe to delete at any time. */
export const BENCH_DIR = join(tmpdir(), "fossick-bench")
const SITE_DIR = join(BENCH_DIR, "documentation-site")

/**
 * The manuals the site is made of. All are free: PostgreSQL licence, public domain, PSF licence, GPL-2.
 * Debian names the package by its version, so the newest one the machine's release offers is taken.
 */
const MANUALS: Record<string, { title: string; package: RegExp; html: string }> = {
  postgresql: {
    title: "PostgreSQL",
    package: /^postgresql-doc-\d+$/,
    html: "usr/share/doc/postgresql-doc-*/html",
  },
  sqlite: { title: "SQLite", package: /^sqlite3-doc$/, html: "usr/share/doc/sqlite3" },
  python: { title: "Python", package: /^python3\.\d+-doc$/, html: "usr/share/doc/python3.*/html" },
  git: { title: "Git", package: /^git-doc$/, html: "usr/share/doc/git-doc" },
}

/** A site of four large manuals (some 2,700 HTML pages), served from a process of its own. */
export interface DocumentationSite extends AsyncDisposable {
  readonly url: string
  /** Requests answered since the site started. */
  requests(): Promise<number>
}

/**
 * The folder with the manuals' pages; on first use fetches the packages with `apt-get download`, which needs a
 * Debian or Ubuntu with fetched package lists (`apt-get update`) but no root.
 * @throws Error saying which package could not be had.
 */
export async function documentationFolder(): Promise<string> {
  const done = join(SITE_DIR, "packages.txt")
  if (existsSync(done)) return SITE_DIR
  const work = join(BENCH_DIR, `unpack-${process.pid}`)
  await mkdir(work, { recursive: true })
  try {
    const versions: string[] = []
    const { stdout } = await run("apt-cache", ["pkgnames"], { maxBuffer: 1 << 26 })
    const names = stdout.split("\n")
    const site = join(work, "site")
    await mkdir(site)
    for (const [folder, manual] of Object.entries(MANUALS)) {
      const name = names
        .filter((one) => manual.package.test(one))
        .sort(byVersion)
        .at(-1)
      if (name === undefined)
        throw new Error(`apt knows no package like ${manual.package}; run: apt-get update`)
      process.stderr.write(`fetching ${name}\n`)
      const download = join(work, folder)
      await mkdir(download)
      await run("apt-get", ["download", "-qq", name], { cwd: download })
      const [deb] = await readdir(download)
      if (deb === undefined) throw new Error(`apt-get download ${name} downloaded no file`)
      await run("dpkg-deb", ["-x", join(download, deb), download])
      const html = await findFolder(join(download, manual.html))
      if (html === undefined) throw new Error(`${deb} has no ${manual.html}`)
      await rename(html, join(site, folder))
      versions.push(`${folder}: ${deb}`)
    }
    await writeFile(join(site, "packages.txt"), `${versions.join("\n")}\n`)
    await rm(SITE_DIR, { recursive: true, force: true })
    await rename(site, SITE_DIR)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return SITE_DIR
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true })
}

/** The first folder that matches and is no symbolic link to another one. */
async function findFolder(pattern: string): Promise<string | undefined> {
  for await (const path of glob(pattern)) if ((await lstat(path)).isDirectory()) return path
  return undefined
}

/** Paths of the HTML pages under `folder`, sorted, as they stand in addresses (`sqlite/wal.html`). */
export async function htmlPages(folder: string): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(join(folder, "**/*.html"))) found.push(relative(folder, path))
  return found.sort()
}

/** A home page of our own that links to `paths`. */
export function homePage(title: string, paths: readonly string[]): string {
  const items = paths.map((path) => `<li><a href="/${path}">${path}</a></li>`).join("\n")
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>
<ul>
${items}
</ul></body></html>
`
}

/** Starts the site in a child process, so that serving is no part of what a bench measures. */
export async function startDocumentationSite(): Promise<DocumentationSite> {
  await documentationFolder()
  const child = fork(import.meta.filename, ["--serve"])
  const [message] = (await once(child, "message")) as [{ url: string }]
  return {
    url: message.url,
    async requests() {
      child.send("requests")
      const [answer] = (await once(child, "message")) as [{ requests: number }]
      return answer.requests
    },
    async [Symbol.asyncDispose]() {
      await stop(child)
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = once(child, "exit")
  child.kill()
  await exit
}

async function serve(): Promise<string> {
  const folder = await documentationFolder()
  const starts = ["postgresql/index.html", "sqlite/index.html", "python/index.html", "python/contents.html"]
  const git = (await htmlPages(folder)).filter((path) => path.startsWith("git/"))
  const site = await serveFolder(folder, homePage("Manuals", [...starts, ...git]))
  process.on("message", () => process.send?.({ requests: site.requests() }))
  process.on("disconnect", () => process.exit())
  process.send?.({ url: site.url })
  return site.url
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { serve: { type: "boolean", default: false } } })
  const url = await serve()
  if (!values.serve) {
    const pages = await htmlPages(SITE_DIR)
    process.stdout.write(`${pages.length} pages of ${SITE_DIR} at ${url} (Ctrl-C stops it)\n`)
  }
}
