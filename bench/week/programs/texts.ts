import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { nodeFolder } from "./packages.ts"

/** Text written for readers: a package's description of itself. */
export interface Text {
  /** The package's name: the title of its page on every site. */
  readonly title: string
  /** The one-sentence description in its manifest: asked as a question, it should find the page. */
  readonly about: string
  /** CommonMark without title, HTML, pictures and links within the package. */
  readonly markdown: string
}

const SHORTEST = 1500
const LONGEST = 20_000
const MIN_PROSE_WORDS = 120
const MIN_ABOUT_WORDS = 5

/**
 * Texts of the packages below `node/`, in alphabetical order, one from each family (`rehype-…`): packages of one family
 * have similar texts, and near duplicates are folded.
 */
export async function readTexts(folder: string): Promise<Text[]> {
  const modules = join(nodeFolder(folder), "node_modules")
  const families = new Set<string>()
  const texts: Text[] = []
  for (const name of (await readdir(modules)).sort()) {
    const family = name.split(/[-.]/)[0] ?? name
    if (!/^[a-z]/.test(name) || families.has(family)) continue
    const text = await readText(join(modules, name), name).catch(() => null)
    if (!text) continue
    families.add(family)
    texts.push(text)
  }
  return texts
}

async function readText(folder: string, title: string): Promise<Text | null> {
  const readme = (await readdir(folder)).find((name) => /^readme\.md$/i.test(name))
  if (readme === undefined) return null
  const { description = "" } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    description?: string
  }
  const about = description.replace(/[`*]/g, "")
  const markdown = plainMarkdown(await readFile(join(folder, readme), "utf8"))
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, "").split(/\s+/).length
  const fits = markdown.length > SHORTEST && markdown.length < LONGEST && prose > MIN_PROSE_WORDS
  return fits && about.split(" ").length >= MIN_ABOUT_WORDS ? { title, about, markdown } : null
}

/** Markdown that every program accepts: no HTML, no badges, no pictures, no reference links, no front matter. */
export function plainMarkdown(text: string): string {
  const blocks = text
    .replace(/\r/g, "")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .split(/^(```[\s\S]*?^```[ \t]*$)/m)
  const plain = blocks.map((block) => (block.startsWith("```") ? block : plainProse(block)))
  return plain
    .join("")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

function plainProse(block: string): string {
  return block
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^\[[^\]]+\]:.*$/gm, "")
    .replace(/\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\]?(?:\([^)]*\)|\[[^\]]*\])?/g, "")
    .replace(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, "$1")
    .replace(/\[([^\]]+)\]\[[^\]]*\]/g, "$1")
    .replace(/<\/?[a-zA-Z][^>]*>/g, "")
    .replace(/^ {0,3}# .*$/m, "")
    .replace(/^[^\n]+\n=+$/m, "")
    .replace(/[{}]/g, "")
}

/** The same text in DokuWiki's markup. */
export function toDokuWiki({ title, markdown }: Text): string {
  const body = byBlock(
    markdown,
    (code, language) => `<code ${language}>\n${code}\n</code>\n`,
    (line) =>
      line
        .replace(/^(#{1,5}) +(.*?) *#*$/, (_, marks: string, words: string) => {
          const signs = "=".repeat(Math.max(2, 7 - Math.max(2, marks.length)))
          return `${signs} ${words.replace(/`/g, "")} ${signs}`
        })
        .replace(/^(\s*)[-*+] +/, (_, indent: string) => `${"  ".repeat(1 + (indent.length >> 1))}* `)
        .replace(/\[([^\]]+)\]\((https?:[^)\s]+)[^)]*\)/g, "[[$2|$1]]")
        .replace(/`([^`]+)`/g, "''%%$1%%''"),
  )
  return `====== ${title} ======\n\n${body}\n`
}

/** The same text in MediaWiki's markup, without the title: MediaWiki shows that itself. */
export function toMediaWiki({ markdown }: Text): string {
  return byBlock(
    markdown,
    (code) => `<pre><nowiki>${code}</nowiki></pre>\n`,
    (line) =>
      line
        .replace(/^(#{1,5}) +(.*?) *#*$/, (_, marks: string, words: string) => {
          const signs = "=".repeat(Math.max(2, marks.length))
          return `${signs} ${words.replace(/`/g, "")} ${signs}`
        })
        .replace(/^\s*[-*+] +/, "* ")
        .replace(/\[([^\]]+)\]\((https?:[^)\s]+)[^)]*\)/g, "[$2 $1]")
        .replace(/`([^`]+)`/g, "<code><nowiki>$1</nowiki></code>")
        .replace(/\*\*([^*]+)\*\*/g, "'''$1'''"),
  )
}

function byBlock(
  markdown: string,
  code: (text: string, language: string) => string,
  line: (text: string) => string,
): string {
  return markdown
    .split(/^(```[\s\S]*?^```[ \t]*$)/m)
    .map((block) => {
      const fence = /^```(\w*).*\n([\s\S]*?)\n?```[ \t]*$/.exec(block)
      if (fence) return code(fence[2] ?? "", /^[a-z]+$/.test(fence[1] ?? "") ? fence[1]! : "text")
      return block.split("\n").map(line).join("\n")
    })
    .join("")
}
