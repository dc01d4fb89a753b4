import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { marked } from "marked"
import {
  builtFolder,
  debianFolder,
  debianPackages,
  doOnce,
  libraries,
  npmPackages,
  pythonPackages,
  runCommand,
} from "./packages.ts"
import { serveByNginx } from "./servers.ts"
import { type ExpectedPage, questionOf, type RealSite } from "./site.ts"
import { plainMarkdown, type Text } from "./texts.ts"

/** A Markdown file of a real manual. */
interface Chapter {
  /** Path in the manual without file extension, such as `using-npm/scripts`. */
  readonly path: string
  readonly title: string
  readonly about: string
  readonly markdown: string
}

/** MkDocs with the Material theme over a part of npm's manual. */
export async function mkdocs(folder: string): Promise<RealSite> {
  const python = await pythonPackages(folder)
  const manual = join(await npmPackages(folder), "node_modules/npm/docs/content")
  const chapters = [
    ...(await readChapters(manual, "using-npm")),
    ...(await readChapters(manual, "configuring-npm")),
    ...(await readChapters(manual, "commands")).slice(0, 24),
  ]
  const site = builtFolder(folder, "mkdocs")
  await doOnce(folder, "mkdocs", async () => {
    await writeChapters(join(site, "docs"), chapters)
    await writeFile(join(site, "docs/index.md"), homePage("npm handbook", chapters, "md"))
    const config = `site_name: npm handbook
site_url: http://127.0.0.1/
theme: { name: material, features: [navigation.instant, navigation.footer, content.code.copy] }
markdown_extensions: [admonition, pymdownx.superfences, { toc: { permalink: true } }]
`
    await writeFile(join(site, "mkdocs.yml"), config)
    await runCommand(join(python, "bin/python"), ["-m", "mkdocs", "build", "-q", "-d", join(site, "out")], {
      cwd: site,
    })
  })
  return staticSite(folder, {
    name: "mkdocs",
    program: "mkdocs-material 9.8 on nginx",
    root: join(site, "out"),
    pages: [
      { path: "/", title: "npm handbook" },
      ...chapters.map(({ path, title }) => ({ path: `/${path}/`, title })),
    ],
    asked: chapters[3]!,
    askedPath: `/${chapters[3]!.path}/`,
    junk: /\/(search|assets)\/|404\.html/,
  })
}

/** Sphinx with its default theme, over texts in MyST Markdown. Its headings carry permalink marks. */
export async function sphinx(folder: string, texts: readonly Text[]): Promise<RealSite> {
  const python = await pythonPackages(folder)
  const site = builtFolder(folder, "sphinx")
  await doOnce(folder, "sphinx", async () => {
    await mkdir(join(site, "docs"), { recursive: true })
    for (const text of texts)
      await writeFile(join(site, "docs", `${slugOf(text)}.md`), `# ${text.title}\n\n${text.markdown}\n`)
    const tree = texts.map((text) => slugOf(text)).join("\n")
    await writeFile(
      join(site, "docs/index.md"),
      `# Platform reference\n\nWhat each part does and how to call it.\n\n\`\`\`{toctree}\n${tree}\n\`\`\`\n`,
    )
    await writeFile(
      join(site, "docs/conf.py"),
      `project = "Platform"\nextensions = ["myst_parser"]\nsuppress_warnings = ["myst.header", "misc.highlighting_failure"]\n`,
    )
    await runCommand(join(python, "bin/python"), [
      "-m",
      "sphinx",
      "-q",
      join(site, "docs"),
      join(site, "out"),
    ])
  })
  const asked = texts[5]!
  return staticSite(folder, {
    name: "sphinx",
    program: "Sphinx 9 with MyST on nginx",
    root: join(site, "out"),
    pages: [
      { path: "/", title: "Platform reference" },
      ...texts.map((text) => ({ path: `/${slugOf(text)}.html`, title: text.title })),
    ],
    asked,
    askedPath: `/${slugOf(asked)}.html`,
    junk: /genindex|search\.html|_sources|_modules/,
  })
}

/** Docusaurus with its classic preset, over undici's manual. */
export async function docusaurus(folder: string): Promise<RealSite> {
  const node = await npmPackages(folder)
  const chapters = await readChapters(join(node, "node_modules/undici/docs/docs"), "api")
  const site = builtFolder(folder, "docusaurus")
  await doOnce(folder, "docusaurus", async () => {
    await writeChapters(join(site, "docs"), chapters)
    await mkdir(join(site, "src/pages"), { recursive: true })
    await mkdir(join(site, "static"), { recursive: true })
    await writeFile(join(site, "src/pages/index.md"), homePage("HTTP client manual", chapters, "docs"))
    await writeFile(
      join(site, "package.json"),
      JSON.stringify({ name: "manual", private: true, version: "1.0.0" }),
    )
    await writeFile(
      join(site, "docusaurus.config.js"),
      `module.exports = {
  title: "HTTP client manual", url: "http://127.0.0.1", baseUrl: "/", onBrokenLinks: "ignore", onBrokenAnchors: "ignore",
  markdown: { format: "md", hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [["${node}/node_modules/@docusaurus/preset-classic", { docs: {}, blog: false, theme: {} }]],
  themeConfig: { navbar: { title: "HTTP client manual", items: [{ to: "/docs/api/Client", label: "Manual" }] } },
}
`,
    )
    await linkModules(node, site)
    const program = join(node, "node_modules/@docusaurus/core/bin/docusaurus.mjs")
    await runCommand(process.execPath, [program, "build", site, "--out-dir", join(site, "out")], {
      cwd: site,
      env: { NODE_OPTIONS: "", DOCUSAURUS_NO_TELEMETRY: "1", CI: "1" },
    })
  })
  return staticSite(folder, {
    name: "docusaurus",
    program: "Docusaurus 3.10 on nginx",
    root: join(site, "out"),
    tryFiles: "$uri $uri/index.html $uri.html =404",
    pages: [
      { path: "/", title: "HTTP client manual" },
      ...chapters.map(({ path, title }) => ({ path: `/docs/${path}`, title })),
    ],
    asked: chapters.find(({ path }) => path.endsWith("RetryAgent")) ?? chapters[0]!,
    askedPath: "/docs/api/RetryAgent",
    junk: /404\.html|\/assets\/|\/search/,
  })
}

/** docsify over fastify's manual: its pages are Markdown that the browser fetches. */
export async function docsify(folder: string, mode: "hash" | "history"): Promise<RealSite> {
  const node = await npmPackages(folder)
  const part = mode === "hash" ? "Reference" : "Guides"
  const manual = join(node, "node_modules/fastify/docs")
  const chapters = (await readChapters(manual, part)).filter(({ path }) => !path.endsWith("/Index"))
  const name = `docsify-${mode}`
  const site = builtFolder(folder, name)
  await doOnce(folder, name, async () => {
    await writeChapters(site, chapters)
    await cp(join(node, "node_modules/docsify/dist"), join(site, "lib"), { recursive: true })
    await writeFile(
      join(site, "README.md"),
      `# Web framework\n\n${part} of the framework we build services with.\n`,
    )
    const items = chapters.map(({ path, title }) => `* [${title}](/${path}.md)`).join("\n")
    await writeFile(join(site, "_sidebar.md"), `* [Home](/)\n${items}\n`)
    await writeFile(join(site, ".nojekyll"), "")
    await writeFile(
      join(site, "index.html"),
      `<!DOCTYPE html>
<html lang="en">
<head><meta charset="UTF-8"><title>Web framework</title><base href="/">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="lib/themes/core.min.css"></head>
<body><div id="app"></div>
<script>window.$docsify = { name: "Web framework", loadSidebar: true, auto2top: true, routerMode: "${mode}",
  alias: { "/.*/_sidebar.md": "/_sidebar.md" } }</script>
<script src="lib/docsify.min.js"></script></body></html>
`,
    )
  })
  const address = (path: string) => (mode === "hash" ? `/#/${path}` : `/${path}`)
  const asked = chapters.find(({ path }) => /Hooks|Prototype-Poisoning/.test(path))!
  return staticSite(folder, {
    name,
    program: `docsify 5, ${mode} mode, on nginx`,
    root: site,
    ...(mode === "history" && { tryFiles: "$uri $uri/ /index.html" }),
    pages: [
      { path: "/", title: "Web framework" },
      ...chapters.map(({ path, title }) => ({ path: address(path), title })),
    ],
    asked,
    askedPath: address(asked.path),
    junk: /_sidebar|\/lib\//,
  })
}

/** A React application built by Vite: every address answers with the same page, whose script fetches the text. */
export async function reactApplication(folder: string, texts: readonly Text[]): Promise<RealSite> {
  const node = await npmPackages(folder)
  const site = builtFolder(folder, "react")
  await doOnce(folder, "react", async () => {
    await mkdir(join(site, "public/texts"), { recursive: true })
    for (const { title, markdown } of texts)
      await writeFile(
        join(site, "public/texts", `${title}.json`),
        JSON.stringify({ title, html: await marked(markdown) }),
      )
    const titles = JSON.stringify(texts.map(({ title }) => title))
    await cp(join(import.meta.dirname, "react-application"), site, { recursive: true })
    await writeFile(join(site, "titles.json"), titles)
    await linkModules(node, site)
    const vite = join(node, "node_modules/vite/bin/vite.js")
    await runCommand(process.execPath, [vite, "build", "--outDir", "out"], { cwd: site })
  })
  const asked = texts[4]!
  return staticSite(folder, {
    name: "react",
    program: "React 19 with client-side routes, built by Vite 8, on nginx",
    root: join(site, "out"),
    tryFiles: "$uri /index.html",
    pages: [
      { path: "/", title: "Component catalogue" },
      ...texts.map(({ title }) => ({ path: `/component/${title}`, title })),
    ],
    asked,
    askedPath: `/component/${asked.title}`,
    junk: /\/texts\/|\/assets\//,
  })
}

/** A blog made by Eleventy, with tag pages, a feed and a sitemap. */
export async function blog(folder: string, texts: readonly Text[]): Promise<RealSite> {
  const node = await npmPackages(folder)
  const site = builtFolder(folder, "blog")
  await doOnce(folder, "blog", async () => {
    await cp(join(import.meta.dirname, "blog"), site, { recursive: true })
    await mkdir(join(site, "posts"), { recursive: true })
    for (const [at, text] of texts.entries())
      await writeFile(join(site, "posts", `${slugOf(text)}.md`), post(text, at))
    await writeFile(join(site, "package.json"), JSON.stringify({ name: "blog", type: "module" }))
    await buildBlog(node, site)
  })
  const asked = texts[7]!
  return staticSite(folder, {
    name: "blog",
    program: "a blog built with Eleventy 3, with feed and sitemap, on nginx",
    root: join(site, "out"),
    pages: [
      { path: "/", title: "Platform blog" },
      ...texts.map((text) => ({ path: `/posts/${slugOf(text)}/`, title: text.title })),
    ],
    asked,
    askedPath: `/posts/${slugOf(asked)}/`,
    junk: /feed\.xml|sitemap\.xml/,
  })
}

/** A post on the blog; posts with a higher `at` are newer. */
export function post({ title, about, markdown }: Text, at: number): string {
  const date = new Date(Date.UTC(2026, 0, 5 + 7 * at)).toISOString().slice(0, 10)
  const front = {
    layout: "post.njk",
    title,
    description: about,
    date,
    tags: ["posts", at % 2 ? "notes" : "releases"],
  }
  return `---\n${JSON.stringify(front)}\n---\n{% raw %}\n${markdown}\n{% endraw %}\n`
}

/** Rebuilds the blog's pages from its posts. */
export async function buildBlog(node: string, site: string): Promise<void> {
  await linkModules(node, site)
  const program = join(node, "node_modules/@11ty/eleventy/cmd.cjs")
  await rm(join(site, "out"), { recursive: true, force: true })
  await runCommand(process.execPath, [program, "--quiet", "--output=out"], { cwd: site })
}

/** Hugo's output, served as GitLab Pages does: below the project's path, with file names that resolve without their extension. */
export async function gitlabPages(folder: string, texts: readonly Text[]): Promise<RealSite> {
  await debianPackages(folder)
  const site = builtFolder(folder, "gitlab-pages")
  await doOnce(folder, "gitlab-pages", async () => {
    await cp(join(import.meta.dirname, "hugo"), site, { recursive: true })
    await mkdir(join(site, "content/docs"), { recursive: true })
    for (const text of texts) {
      const front = JSON.stringify({ title: text.title, date: "2026-02-01" })
      await writeFile(join(site, "content/docs", `${slugOf(text)}.md`), `${front}\n\n${text.markdown}\n`)
    }
    await buildHugo(folder, site)
  })
  const asked = texts[2]!
  return {
    ...staticSite(folder, {
      name: "gitlab-pages",
      program: "Hugo 0.111, laid out as GitLab Pages, on nginx",
      root: `${join(site, "out")}/`,
      tryFiles: "$uri $uri/index.html $uri.html =404",
      prefix: "/handbook/",
      pages: [
        { path: "/handbook/", title: "Engineering handbook" },
        ...texts.map((text) => ({
          path: `/handbook/docs/${slugOf(text).toLowerCase()}/`,
          title: text.title,
        })),
      ],
      asked,
      askedPath: `/handbook/docs/${slugOf(asked).toLowerCase()}/`,
      junk: /index\.xml|sitemap\.xml|\/(tags|categories)\//,
    }),
    start: "/handbook/",
  }
}

/** Rebuilds Hugo's pages from their texts. */
export async function buildHugo(folder: string, site: string): Promise<void> {
  const root = debianFolder(folder)
  // Hugo does not delete the pages of deleted texts.
  await rm(join(site, "out"), { recursive: true, force: true })
  await runCommand(join(root, "usr/bin/hugo"), ["--quiet", "-d", join(site, "out")], {
    cwd: site,
    env: { LD_LIBRARY_PATH: await libraries(root) },
  })
}

interface StaticSettings {
  readonly name: string
  readonly program: string
  readonly root: string
  readonly pages: readonly ExpectedPage[]
  readonly asked: { readonly about: string }
  readonly askedPath: string
  readonly junk: RegExp
  readonly tryFiles?: string
  readonly prefix?: string
}

function staticSite(folder: string, settings: StaticSettings): RealSite {
  const { name, program, root, pages, asked, askedPath, junk, tryFiles, prefix } = settings
  return {
    name,
    program,
    start: "/",
    pages,
    junk,
    question: questionOf(asked, askedPath),
    serve: (port, env) => {
      const found = { ...(tryFiles !== undefined && { tryFiles }), ...(prefix !== undefined && { prefix }) }
      return serveByNginx(folder, port, { root, ...found }, env)
    },
  }
}

/** A name for an address and a file: dots would look like a file extension. */
export const slugOf = ({ title }: Text): string => title.replaceAll(".", "-")

async function readChapters(manual: string, part: string): Promise<Chapter[]> {
  const names = (await readdir(join(manual, part))).filter((name) => name.endsWith(".md")).sort()
  const chapters: Chapter[] = []
  for (const name of names) {
    const text = await readFile(join(manual, part, name), "utf8")
    const first = /^title: *(.+)$/m.exec(text.slice(0, 300)) ?? /^##? +(.+)$/m.exec(text)
    const title = first?.[1]
    const markdown = plainMarkdown(text.replace(first?.[0] ?? "", ""))
    if (title === undefined || markdown.length < 400) continue
    const clean = title.replace(/[`*]/g, "").trim()
    chapters.push({
      path: `${part}/${basename(name, ".md")}`,
      title: clean,
      about: aboutOf(text, markdown),
      markdown,
    })
  }
  return chapters
}

/** The manual's own description of a chapter, or its first sentence that is long enough. */
function aboutOf(text: string, markdown: string): string {
  const described = /^description: *(.+)$/m.exec(text.slice(0, 400))?.[1]
  if (described !== undefined) return described
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/^#.*$/gm, "")
  return (
    prose
      .split(/(?<=[.:])\s/)
      .find((one) => one.split(" ").length > 8)
      ?.replace(/[`*\n]/g, " ")
      .trim() ?? markdown.slice(0, 100)
  )
}

async function writeChapters(root: string, chapters: readonly Chapter[]): Promise<void> {
  for (const { path, title, markdown } of chapters) {
    await mkdir(join(root, path, ".."), { recursive: true })
    await writeFile(join(root, `${path}.md`), `# ${title}\n\n${markdown}\n`)
  }
}

function homePage(title: string, chapters: readonly Chapter[], to: "md" | "docs"): string {
  const address = (path: string) => (to === "md" ? `${path}.md` : `/docs/${path}`)
  const items = chapters.map(({ path, title: name }) => `- [${name}](${address(path)})`).join("\n")
  return `# ${title}\n\nChapters that the platform team keeps at hand.\n\n${items}\n`
}

/** Lets a project find the packages that all projects share. */
async function linkModules(node: string, site: string): Promise<void> {
  await rm(join(site, "node_modules"), { force: true })
  await symlink(join(node, "node_modules"), join(site, "node_modules"))
}
