import { load, LoggerManager, MemoryLogger } from "@asciidoctor/core"
import type { Element } from "../../extract/html/tree.ts"
import { DocumentError } from "../../formats/document-error.ts"
import type { DocumentText } from "../../formats/to-extracted.ts"
import { fromHtml, wordsOf } from "./from-html.ts"
import { noteOfCut, readablePart } from "../lines.ts"

/** Matches nesting beyond the maximum: Asciidoctor recurses for each level, and a few thousand levels overflow the stack, which V8 reports in the log. */
const DEEP_QUOTES = /^(?:> ?){100}/m
const TOO_DEEP = "its blocks are nested too deeply"

/**
 * Reads AsciiDoc with Asciidoctor in its strictest mode, "secure": no file or address is included, and the document
 * can't set an attribute that would change that. An `include::` becomes a link, and is left out here.
 * @throws DocumentError when its blocks are nested too deeply
 */
export async function readAsciidoc(text: string, url: string): Promise<DocumentText> {
  if (DEEP_QUOTES.test(text)) throw new DocumentError("unsupported", TOO_DEEP)
  try {
    return await converted(text, url)
  } catch (error) {
    if (error instanceof RangeError) throw new DocumentError("unsupported", TOO_DEEP)
    throw error
  }
}

async function converted(text: string, url: string): Promise<DocumentText> {
  LoggerManager.logger = new MemoryLogger()
  const document = await load(readablePart(text), {
    safe: "secure",
    attributes: {
      showtitle: false,
      // A document could set these attributes, but they would show text twice or add no text.
      toc: null,
      sectnums: null,
      icons: null,
      sectanchors: null,
      sectlinks: null,
      experimental: "",
      // Links to other documents use the names of source files, not those of a site generated from them.
      relfilesuffix: ".adoc",
      "table-caption": null,
      "example-caption": null,
      "figure-caption": null,
    },
  })
  const html = await document.convert()
  const written = fromHtml(readable(html), url, isInclude)
  const attribute = (name: string) => String(document.getAttribute(name) ?? "")
  const revised = Date.parse(attribute("revdate"))
  return {
    ...written,
    title: wordsOf(String(document.getDocumentTitle() ?? "")),
    author: attribute("authors") || attribute("author") || null,
    description: attribute("description") || null,
    language: attribute("lang") || null,
    publishedAt: Number.isNaN(revised) ? null : new Date(revised),
    note: noteOfCut(text),
  }
}

/** Notes and warnings are tables with two cells, the name and the text; here they become quotations. */
const readable = (html: string): string =>
  html
    .replace(
      /<div class="admonitionblock[^"]{0,100}">\s*<table>\s*<tr>\s*<td class="icon">\s*<div class="title">([^<]{0,100})<\/div>\s*<\/td>\s*<td class="content">/g,
      "<blockquote><p><strong>$1</strong></p>",
    )
    .replace(/<\/td>\s*<\/tr>\s*<\/table>\s*<\/div>/g, "</blockquote>")
    // AsciiMath formulas are not TeX, so they are kept as plain text.
    .replace(/\\\$([^\\\n]{1,1000})\\\$/g, "$1")

const isInclude = (element: Element): boolean =>
  element.tag === "a" && /(?:^|\s)include(?:\s|$)/.test(element.get("class") ?? "")
