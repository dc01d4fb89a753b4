import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { glob, mkdir, readFile, readdir, rename, rm } from "node:fs/promises"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import { gunzipSync } from "node:zlib"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, type PageUrl, toPageUrl } from "#engine"
import type { Language } from "../questions/question-sets.ts"
import { BENCH_DIR } from "./documentation-site.ts"

const run = promisify(execFile)
const DIR = join(BENCH_DIR, "manuals")

/** The pages in one folder of a package, under our own name. */
interface Manual {
  readonly package: string | RegExp
  /** Folder of its pages in the package; the first that matches. */
  readonly folder: string
  /** Pattern for the files in the folder. Default: all HTML pages. */
  readonly files?: string
}

/** English manuals, more than 1,800 pages. Licences: Apache-2.0, GPL-2, PostgreSQL licence, CC-BY-SA-3.0. */
const ENGLISH: Readonly<Record<string, Manual>> = {
  apache: { package: "apache2-doc", folder: "usr/share/doc/apache2-doc/manual/en" },
  policy: { package: "debian-policy", folder: "usr/share/doc/debian-policy" },
  reference: { package: "debian-reference-en", folder: "usr/share/debian-reference" },
  devref: { package: "developers-reference", folder: "usr/share/developers-reference" },
  git: { package: "git-doc", folder: "usr/share/doc/git-doc" },
  postgresql: { package: /^postgresql-doc-\d+$/, folder: "usr/share/doc/postgresql-doc-*/html" },
  handbook: {
    package: "debian-handbook",
    folder: "usr/share/doc/debian-handbook/html/en-US",
    files: "*.html",
  },
}

/**
 * The manuals that answers and reports are judged on: three technical manuals, a guide to keeping accounts, and a history; some 550 pages.
 * Licences of the last two: GFDL-1.1, GPL-2.
 */
const JUDGED: Readonly<Record<string, Manual>> = {
  apache: ENGLISH["apache"]!,
  handbook: ENGLISH["handbook"]!,
  policy: ENGLISH["policy"]!,
  gnucash: { package: "gnucash-docs", folder: "usr/share/doc/gnucash-docs/gnucash-guide-en" },
  history: { package: "debian-history", folder: "usr/share/doc/debian-history/docs", files: "*.en.html" },
}

/** The manuals of the later questions: a reference for developers, a FAQ, and manual pages; about 270 pages. GPL-2. */
const LATER: Readonly<Record<string, Manual>> = {
  devref: ENGLISH["devref"]!,
  git: ENGLISH["git"]!,
  faq: { package: "debian-faq", folder: "usr/share/doc/debian/FAQ", files: "*.en.html" },
}

/**
 * The manuals of the questions after those: a backup program, a proxy with its FAQ, and a handbook for kernel packages; about 100 pages.
 * Licences: BSD-3-Clause, GPL-2.
 */
const PROGRAMS: Readonly<Record<string, Manual>> = {
  borg: {
    package: "borgbackup-doc",
    folder: "usr/share/doc/borgbackup/html",
    files: "{,deployment/,internals/,usage/}*.html",
  },
  privoxy: {
    package: "privoxy",
    folder: "usr/share/doc/privoxy",
    files: "{faq,user-manual,man-page}/*.html",
  },
  kernel: {
    package: "debian-kernel-handbook",
    folder: "usr/share/doc/debian-kernel-handbook/kernel-handbook.html",
  },
}

/**
 * The manuals of the last questions: a security handbook, the manual of a package manager, that of a phone program with its
 * service and settings, and that of a mail program, on one page; about 240 pages. Licences: GPL-2, GPL-2, GPL-2, GPL-3.
 */
const GUIDES: Readonly<Record<string, Manual>> = {
  harden: { package: "harden-doc", folder: "usr/share/doc/harden-doc/html/en-US" },
  aptitude: { package: "aptitude-doc-en", folder: "usr/share/doc/aptitude/html/en" },
  gammu: {
    package: "gammu-doc",
    folder: "usr/share/doc/gammu/html",
    files: "{,config/,faq/,formats/,gammu/,project/,quick/,smsd/,testing/,utils/}*.html",
  },
  claws: { package: "claws-mail-doc", folder: "usr/share/doc/claws-mail/manual/en" },
}

/** Manuals that are only read, with no questions: a kernel's handbook and a programming language's library; thousands of pages. GPL-2. */
const UNASKED: Readonly<Record<string, Manual>> = {
  linux: { package: /^linux-doc-[\d.]+$/, folder: "usr/share/doc/linux-doc-*/html" },
  java: { package: /^openjdk-\d+-doc$/, folder: "usr/share/doc/openjdk-*-jre-headless/api" },
}

/** Names for a language in the packages: of the handbook, the reference, and the manual pages' package and folder. */
const NAMES: Readonly<Record<Language, readonly [string, string, string, string]>> = {
  en: ["en-US", "en", "coreutils", ""],
  de: ["de-DE", "de", "manpages-de", "de"],
  fr: ["fr-FR", "fr", "manpages-fr", "fr"],
  es: ["es-ES", "es", "manpages-es", "es"],
  pt: ["pt-BR", "pt-br", "manpages-pt-br", "pt_BR"],
  ja: ["ja-JP", "ja", "manpages-ja", "ja"],
  zh: ["zh-CN", "zh-cn", "manpages-zh", "zh_CN"],
}
/** Number of manual pages per language: fewer than one in twenty answers a question, so that wrong results are possible. */
const MAN_PAGES = 250
/** Other names of `grep`, with its text. */
const SAME_AS_GREP = /^[efr]grep\./

/**
 * The English manuals as the crawler reads them, at `http://manuals.example/<manual>/<file>`.
 * Fetches Debian packages with `apt-get download` on first use.
 */
export const englishManuals = (): AsyncGenerator<Page> => manualsOf(ENGLISH)

/** The manuals that answers and reports are judged on, at addresses like those of {@link englishManuals}. */
export const judgedManuals = (): AsyncGenerator<Page> => manualsOf(JUDGED)

/** The manuals of the later questions, which were written when the others had all been asked. */
export const laterManuals = (): AsyncGenerator<Page> => manualsOf(LATER)

/** The manuals of the questions that were written after the later questions had been asked. */
export const programManuals = (): AsyncGenerator<Page> => manualsOf(PROGRAMS)

/** The manuals of the questions that were written after all of those had been asked. */
export const guideManuals = (): AsyncGenerator<Page> => manualsOf(GUIDES)

/** Manuals for benches that need many pages and no questions. */
export const unaskedManuals = (): AsyncGenerator<Page> => manualsOf(UNASKED)

/**
 * Pages of any packages, in English, at `http://manuals.example/<package>/<path>`.
 * @param paths `<package>/<path below usr/share>`
 */
export async function* packagePages(paths: readonly string[]): AsyncGenerator<Page> {
  for (const [name, those] of Map.groupBy(paths, (path) => path.slice(0, path.indexOf("/")))) {
    const files = those.map((path) => path.slice(name.length + 1))
    const place = { host: "manuals.example", path: name, language: "en" } as const
    yield* pagesIn(join(await unpacked(name), "usr/share"), files, place)
  }
}

async function* manualsOf(manuals: Readonly<Record<string, Manual>>): AsyncGenerator<Page> {
  for (const [name, manual] of Object.entries(manuals)) {
    yield* pagesOf(await folderOf(manual), manual.files ?? "**/*.html", {
      host: "manuals.example",
      path: name,
      language: "en",
    })
  }
}

/**
 * Handbook, reference and manual pages in one language, at `http://<language>.example/handbook/<file>`,
 * `.../reference/<file>` and `.../man/<name>.1`.
 */
export async function* manualsIn(language: Language): AsyncGenerator<Page> {
  const [handbook, reference, man, manFolder] = NAMES[language]
  const host = `${language}.example`
  const books = {
    handbook: { package: "debian-handbook", folder: `usr/share/doc/debian-handbook/html/${handbook}` },
    reference: { package: `debian-reference-${reference}`, folder: "usr/share/debian-reference" },
  }
  for (const [path, manual] of Object.entries(books))
    yield* pagesOf(await folderOf(manual), "*.html", { host, path, language })
  const sections = [{ package: man, folder: join("usr/share/man", manFolder, "man1") }]
  // In English, grep has its own package.
  if (language === "en") sections.push({ package: "grep", folder: "usr/share/man/man1" })
  for (const section of sections) yield* manPages(await folderOf(section), host, language)
}

interface Place {
  readonly host: string
  readonly path: string
  readonly language: Language
}

async function* pagesOf(
  folder: string,
  files: string,
  { host, path, language }: Place,
): AsyncGenerator<Page> {
  const found: string[] = []
  for await (const file of glob(join(folder, files))) found.push(relative(folder, file))
  yield* pagesIn(folder, found.sort(), { host, path, language })
}

async function* pagesIn(
  folder: string,
  files: readonly string[],
  { host, path, language }: Place,
): AsyncGenerator<Page> {
  for (const file of files) {
    const html = await readFile(join(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
      // Some packages have a folder with the name of a page.
      if (error.code === "EISDIR" || error.code === "ENOENT") return ""
      throw error
    })
    const page = toPage(html, `http://${host}/${path}/${file}`, language)
    if (page) yield page
  }
}

/** Manual pages, converted by mandoc to HTML that is read like any other. */
async function* manPages(folder: string, host: string, language: Language): AsyncGenerator<Page> {
  const mandoc = join(await unpacked("mandoc"), "usr/bin/mandoc")
  const files = (await readdir(folder)).filter((file) => file.endsWith(".1.gz") && !SAME_AS_GREP.test(file))
  for (const file of files.sort().filter(everyNth(files.length))) {
    const roff = gunzipSync(await readFile(join(folder, file)))
    const html = await toHtml(mandoc, roff)
    const page = toPage(html, `http://${host}/man/${file.replace(/\.gz$/, "")}`, language)
    if (page) yield page
  }
}

/** Those asked for are among any two neighbours by name; where there are few, all are taken. */
const everyNth = (count: number) => (_: string, at: number) =>
  count <= 2 * MAN_PAGES || at % Math.ceil(count / MAN_PAGES) === 0

function toHtml(mandoc: string, roff: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(mandoc, ["-K", "utf-8", "-T", "html"], { maxBuffer: 1 << 26 }, (error, stdout) => {
      // mandoc's exit code reports errors in a page, but it still prints the page.
      if (error && stdout === "") reject(new Error("mandoc failed", { cause: error }))
      else resolve(stdout)
    })
    child.stdin!.end(roff)
  })
}

function toPage(html: string, address: string, language: Language): Page | null {
  const url = toPageUrl(address) as PageUrl
  const extracted = extractHtml(html, url)
  if (extracted.markdown === "") return null
  const { canonical: _canonical, robots: _robots, links: _links, feeds: _feeds, ...read } = extracted
  return {
    ...read,
    language: read.language ?? language,
    url,
    source: new URL(address).hostname,
    fetchedAt: new Date(0),
  }
}

async function folderOf(manual: Manual): Promise<string> {
  const name = typeof manual.package === "string" ? manual.package : await newest(manual.package)
  const root = await unpacked(name)
  for await (const folder of glob(join(root, manual.folder))) return folder
  throw new Error(`${name} has no ${manual.folder}`)
}

async function newest(name: RegExp): Promise<string> {
  const { stdout } = await run("apt-cache", ["pkgnames"], { maxBuffer: 1 << 26 })
  const names = stdout.split("\n").filter((one) => name.test(one))
  const last = names.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1)
  if (last === undefined) throw new Error(`apt knows no package like ${name}; run: apt-get update`)
  return last
}

/** The files of a Debian package, fetched on first use; needs fetched package lists but no root. */
async function unpacked(name: string): Promise<string> {
  const root = join(DIR, name)
  if (existsSync(root)) return root
  const work = join(DIR, `unpack-${process.pid}-${name}`)
  await mkdir(work, { recursive: true })
  try {
    process.stderr.write(`fetching ${name}\n`)
    await run("apt-get", ["download", "-qq", name], { cwd: work })
    const deb = (await readdir(work)).find((file) => file.endsWith(".deb"))
    if (deb === undefined) throw new Error(`apt-get download ${name} downloaded no file`)
    await run("dpkg-deb", ["-x", join(work, deb), join(work, "root")])
    await rename(join(work, "root"), root)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return root
}
