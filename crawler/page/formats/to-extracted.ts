import type { PageAnchor, PageType } from "#engine"
import { countryOfDomain } from "../extract/facts/country.ts"
import { detectLanguage, languageOfProse } from "../extract/facts/detect-language.ts"
import type { Extracted, Link } from "../extract/extracted.ts"
import { toPlainText } from "../extract/markdown/plain-text.ts"
import { withoutMarks } from "../extract/html/anchors.ts"
import { readsAdult } from "../extract/facts/unsafe.ts"
import { anchorsBehind } from "../extract/markdown/anchor-marks.ts"
import { withoutUnseenSigns } from "../extract/seen/unseen-signs.ts"
import { fileName, fileTitle, unreadDocument } from "./unread-document.ts"

/** The results of a reader for one format; missing values are taken from the text and the address. */
export interface DocumentText {
  readonly markdown: string
  /** See `Page`. */
  readonly anchors?: readonly PageAnchor[]
  readonly title?: string | null
  readonly description?: string | null
  readonly author?: string | null
  readonly publishedAt?: Date | null
  /** Language tag of the document, such as `en-GB`. */
  readonly language?: string | null
  /** The part that is written for people, if most of the document is not. Only this part is used to detect the language. */
  readonly prose?: string
  /** Absolute http(s) addresses. */
  readonly links?: readonly Link[]
  /** Whether to use the first heading as the title if there is no other. Default true. */
  readonly isTitledByHeading?: boolean
  /** Whether to use the file's name as the title, as for a source file. Default false. */
  readonly isNamedByFile?: boolean
  /** Numbers, from 1, of the pages that have no text and are waiting for text recognition. */
  readonly pictured?: readonly number[]
  /** Tells the operator how the file was read. */
  readonly note?: string | null
}

const MAX_TITLE_CHARS = 300
/** The limits for the length of a bold line that is used as the title. */
const MIN_TITLE_CHARS = 3
const MAX_LINE_CHARS = 120
/** Lines shorter than this are headings, cells and code, from which the language can't be detected. */
const MIN_PROSE_CHARS = 60

/** Turns a document into a page. The title is taken from its properties, otherwise from its first heading, otherwise from its file name. */
export function toExtracted(read: DocumentText, url: string, type: PageType): Extracted {
  // Invisible characters never include a line break, so anchors stay on the same lines.
  const document = { ...read, markdown: withoutUnseenSigns(read.markdown) }
  const { note, pictured = [] } = document
  const fromText =
    document.isTitledByHeading === false
      ? null
      : (firstHeading(document.markdown) ?? titleLine(document.markdown))
  const title =
    document.isNamedByFile === true
      ? fileName(url)
      : (properTitle(document.title, url) ?? fromText ?? fileTitle(url))
  const trimmed = document.markdown.trim()
  const markdown = withoutTitle(trimmed, title)
  const dropped = document.markdown.slice(
    0,
    document.markdown.indexOf(trimmed) + trimmed.length - markdown.length,
  )
  const anchors = placesBehind(dropped, document.anchors ?? [])
  const description = oneLine(document.description)
  const publishedAt = document.publishedAt ?? null
  return {
    ...unreadDocument(url, type),
    title,
    description,
    markdown,
    ...(anchors.length > 0 && { anchors }),
    language:
      document.prose === undefined
        ? languageCode(document.language, markdown)
        : languageOfProse(document.prose),
    author: oneLine(document.author),
    publishedAt: publishedAt && isSaneDate(publishedAt) ? publishedAt : null,
    country: countryOfDomain(url),
    unsafe: readsAdult(title, description, markdown),
    links: document.links ?? [],
    ...(pictured.length > 0 && { pictured }),
    ...(note === undefined || note === null ? {} : { note }),
  }
}

// Default titles of word processors and converters, in the languages of these programs, with the number of the window;
// also the names of their templates and of template fields to be filled in.
const NO_TITLE = new RegExp(
  `^\\[?(?:${[
    "untitled(?: document| presentation| spreadsheet)?|no title|unbenannt|ohne titel|sans (?:titre|nom)|sin (?:t[ií]tulo|nombre)|sem t[ií]tulo|senza (?:titolo|nome)|naamloos|bez (?:tytułu|nazwy|názvu)|namnlös|без (?:имени|названия)|無題|无标题|제목 ?없음",
    "document(?:[oe]|en)?(?: sans titre)?|dokument|documento de microsoft word|документ|文書|文档|문서|presentation|präsentation|présentation|presentaci[oó]n|apresentação|presentazione|prezentacja|презентация|プレゼンテーション|演示文稿",
    "powerpoint[ -]?(?:pr[eä]sentation|presentation|プレゼンテーション)|présentation powerpoint|presentaci[oó]n de powerpoint|apresentação do powerpoint|presentazione (?:standard di )?powerpoint|book|workbook|mappe|classeur|libro|cartel|sheet|spreadsheet",
    "(?:document |report |chapter |your )?title|titel|titre|t[ií]tulo|titolo|slide|folie|normal|layout|template|vorlage|blank|blank document|memo(?:randum)? template|default|standard|new microsoft (?:word|powerpoint|excel) \\w+|neues microsoft[- ]\\w+[- ]\\w+|\\(anonymous\\)|\\(unspecified\\)|type the document title|click to (?:edit|add) [\\w ]+",
  ].join("|")})\\]?[ _-]*\\(?\\d{0,4}\\)?$`,
  "iu",
)
const CONVERTED = /^(?:microsoft (?:office )?(?:word|powerpoint|excel)|print|pdf24?)(?: -|:) /i

function properTitle(title: string | null | undefined, url: string): string | null {
  const text = withoutMarks(oneLine(title)?.replace(CONVERTED, "") ?? "")
  if (text === "" || text.length > MAX_TITLE_CHARS || NO_TITLE.test(text)) return null
  // The name of a file, path or template is not used as the title, because the text might contain a better one.
  if (/^[\w.-]+\.[a-z]{2,5}$/i.test(text) || /^(?:file:|\w:\\|\/)/i.test(text)) return null
  return text === fileName(url) ? null : text
}

function firstHeading(markdown: string): string | null {
  const line = /^#{1,3} +(\S[^\n]*)$/m.exec(markdown.slice(0, 20_000))?.[1] ?? ""
  const text = toPlainText(line).trim()
  return text === "" || text.length > MAX_TITLE_CHARS ? null : text
}

/** Authors who don't use styles write the title in bold on a line of its own. */
function titleLine(markdown: string): string | null {
  const [first = "", next = ""] = markdown
    .trimStart()
    .slice(0, 2000)
    .split(/\n{2,}/, 2)
  const bold = /^\*{2,3}([^*\n]+)\*{2,3}$/.exec(first.trim())?.[1]
  if (bold === undefined || next === "") return null
  const text = toPlainText(bold).trim()
  return text.length < MIN_TITLE_CHARS || text.length > MAX_LINE_CHARS || /[.:;,]$/.test(text) ? null : text
}

/** The remaining anchors; text right after the title is on the same page as the title. */
function placesBehind(dropped: string, places: readonly PageAnchor[]): readonly PageAnchor[] {
  const left = anchorsBehind(dropped, places)
  const last = places[places.length - left.length - 1]
  if (last === undefined || left[0]?.[0] === 0) return left
  const [, ...place] = last
  return [[0, ...place], ...left]
}

/** The title has its own field, so a first heading that repeats it is redundant. */
function withoutTitle(markdown: string, title: string): string {
  const first = /^#{1,3} ([^\n]*)\n*/.exec(markdown)
  const same = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
  return first && same(toPlainText(first[0])) === same(title) ? markdown.slice(first[0].length) : markdown
}

function oneLine(text: string | null | undefined): string | null {
  const single = withoutUnseenSigns(text ?? "")
    .replace(/[\s\0]+/g, " ")
    .trim()
  return single === "" ? null : single
}

/**
 * The language of a document. In a long text, the detected language is trusted more than the property, which most
 * programs fill in automatically; in a short text, the property is used.
 */
function languageCode(tag: string | null | undefined, markdown: string): string | null {
  const named = /^[a-z]{2}(?=$|[-_])/i.exec(tag ?? "")?.[0].toLowerCase() ?? null
  const prose = markdown
    .slice(0, 20_000)
    .split("\n")
    .filter((line) => line.length >= MIN_PROSE_CHARS && !/^[|#`]|\. ?\. ?\./.test(line))
  const sample = toPlainText(prose.join("\n\n").slice(0, 4000))
  if (sample.length < MIN_PROSE_CHARS) return named
  return detectLanguage(sample) ?? named
}

function isSaneDate(date: Date): boolean {
  const year = date.getUTCFullYear()
  return Number.isFinite(date.getTime()) && year >= 1970 && date.getTime() < Date.now() + 86_400_000
}
