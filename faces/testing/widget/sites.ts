import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const MINUTES_MS = 60_000
const MOST_OUTPUT = 64 * 1024 * 1024

/** Runs a program until it ends. @throws Error with its output if it fails */
async function run(folder: string, program: string, ...args: readonly string[]): Promise<void> {
  const options = { cwd: folder, timeout: 10 * MINUTES_MS, maxBuffer: MOST_OUTPUT }
  await promisify(execFile)(program, args, options)
}

/** The values in the lines that a site's authors paste into its pages. */
interface Lines {
  /** Origin of the site itself. */
  readonly site: string
  /** Address of the appliance, without a slash at its end. */
  readonly appliance: string
  readonly key: string
}

/** A documentation site built by one of the programs. */
export interface SiteKind {
  readonly name: "docusaurus" | "mkdocs" | "sphinx"
  /** The folder within the site's folder where its pages will be written. */
  readonly output: string
  /** Builds the site with the widget in it. */
  build(folder: string, lines: Lines): Promise<void>
  /** A question that the site's pages answer, and a word of the answer. */
  readonly question: string
  readonly answer: RegExp
  /** Two versions by their labels, each with the folder in its pages' addresses; empty if there is only one. */
  readonly versions: readonly { readonly label: string; readonly folder: string }[]
  /** The word that is searched for in both versions. */
  readonly word: string
  /** Switches the site to dark colours as its readers do. */
  readonly dark: (document: { documentElement: Marked; body: Marked }) => void
}

interface Marked {
  setAttribute(name: string, value: string): void
}

const write = (folder: string, file: string, text: string) => {
  mkdirSync(join(folder, file, ".."), { recursive: true })
  writeFileSync(join(folder, file), text)
}

const attributes = ({ key }: Lines, more: string) => `data-key="${key}" ${more}`

const PUMPS = (version: string) => `# Cleaning pumps

This is the manual of version ${version}.

## How pumps are cleaned

Pumps are cleaned with warm water and a soft brush once every ${version === "1.0" ? "week" : "month"}.

## When

Clean them before the frost comes, and dry the parts well afterwards.
`

const docusaurus: SiteKind = {
  name: "docusaurus",
  output: "site/build",
  async build(folder, lines) {
    await run(
      folder,
      "npx",
      "--yes",
      "create-docusaurus@latest",
      "site",
      "classic",
      "--javascript",
      "--skip-install",
    )
    const site = join(folder, "site")
    await run(site, "npm", "install", "--no-audit", "--no-fund")
    write(site, "docs/pumps.md", PUMPS("1.0"))
    await run(site, "npx", "docusaurus", "docs:version", "1.0")
    write(site, "docs/pumps.md", PUMPS("2.0"))
    await run(site, "npx", "docusaurus", "docs:version", "2.0")
    const config = readFileSync(join(site, "docusaurus.config.js"), "utf8")
    const script = {
      src: `${lines.appliance}/widget.js`,
      defer: true,
      "data-key": lines.key,
      "data-answers": "true",
      "data-label": "Search the documentation",
      "data-versions": "2.0=/docs/ 1.0=/docs/1.0/ Next=/docs/next/",
    }
    write(
      site,
      "docusaurus.config.js",
      config
        .replace("https://your-docusaurus-site.example.com", lines.site)
        .replace(/\n\s*presets:/, `\n  scripts: [${JSON.stringify(script)}],\n  presets:`),
    )
    await run(site, "npx", "docusaurus", "build")
  },
  question: "How are pumps cleaned?",
  answer: /warm water and a soft brush/,
  versions: [
    { label: "1.0", folder: "/docs/1.0/" },
    { label: "2.0", folder: "/docs/" },
  ],
  word: "cleaning pumps",
  dark: ({ documentElement }) => documentElement.setAttribute("data-theme", "dark"),
}

const mkdocs: SiteKind = {
  name: "mkdocs",
  output: "site",
  async build(folder, lines) {
    await run(folder, "python3", "-m", "venv", "venv")
    await run(folder, "venv/bin/pip", "install", "-q", "mkdocs", "mkdocs-material")
    write(
      folder,
      "mkdocs.yml",
      `site_name: Manual
theme:
  name: material
  custom_dir: overrides
  font: false
  palette:
    - {scheme: default, toggle: {icon: material/weather-night, name: Dark}}
    - {scheme: slate, toggle: {icon: material/weather-sunny, name: Light}}
plugins: []
`,
    )
    write(
      folder,
      "overrides/main.html",
      `{% extends "base.html" %}
{% block scripts %}{{ super() }}
<script src="${lines.appliance}/widget.js" ${attributes(lines, 'data-answers data-label="Search the manual" data-versions="2=/v2/ 1=/v1/"')} defer></script>
{% endblock %}
`,
    )
    write(
      folder,
      "docs/index.md",
      "# Manual\n\nOf pumps. [Version 1](v1/pumps.md), [version 2](v2/pumps.md).\n",
    )
    write(folder, "docs/v1/pumps.md", PUMPS("1.0"))
    write(folder, "docs/v2/pumps.md", PUMPS("2.0"))
    await run(folder, "venv/bin/mkdocs", "build", "-q")
  },
  question: "How are pumps cleaned?",
  answer: /warm water and a soft brush/,
  versions: [
    { label: "1", folder: "/v1/" },
    { label: "2", folder: "/v2/" },
  ],
  word: "cleaning pumps",
  dark: ({ body }) => body.setAttribute("data-md-color-scheme", "slate"),
}

const sphinx: SiteKind = {
  name: "sphinx",
  output: "build",
  async build(folder, lines) {
    await run(folder, "python3", "-m", "venv", "venv")
    await run(folder, "venv/bin/pip", "install", "-q", "sphinx", "furo")
    write(
      folder,
      "conf.py",
      `project = "Manual"
html_theme = "furo"
html_js_files = [("${lines.appliance}/widget.js", {"data-key": "${lines.key}", "data-answers": "true",
                  "data-label": "Search the manual", "defer": "defer"})]
`,
    )
    write(folder, "index.rst", "Manual\n======\n\nOf pumps and their cleaning.\n\n.. toctree::\n\n   pumps\n")
    write(
      folder,
      "pumps.rst",
      "Cleaning pumps\n==============\n\nPumps are cleaned with warm water and a soft brush once every month.\n\nWhen\n----\n\nClean them before the frost comes.\n",
    )
    await run(folder, "venv/bin/sphinx-build", "-q", ".", "build")
  },
  question: "How are pumps cleaned?",
  answer: /warm water and a soft brush/,
  versions: [],
  word: "cleaning pumps",
  dark: ({ body }) => body.setAttribute("data-theme", "dark"),
}

export const SITES: readonly SiteKind[] = [docusaurus, mkdocs, sphinx]
