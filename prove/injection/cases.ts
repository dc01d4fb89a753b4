import { readJsonLines } from "../../bench/data-files.ts"

const file = (name: string) => new URL(name, import.meta.url)
const STRING = { type: "string" } as const
const FLAG = { type: "boolean" } as const
const oneOf = <const Names extends string[]>(...names: Names) => ({ enum: names })

/** The sets in the order they were written. Each was split in half immediately; only the `tuning` half was used to write or fix the code. */
const OF_SET = { set: oneOf("first", "later", "third"), half: oneOf("tuning", "kept") }
export type Half = "tuning" | "kept"

/**
 * The planted orders to language models, in the words of attackers and the literature. `{topic}` is the subject of the
 * page, `{mark}` a word that appears nowhere else: if it turns up anywhere, the order has leaked.
 */
export const WORDINGS = readJsonLines(file("wordings.jsonl"), {
  properties: { ...OF_SET, language: STRING, text: STRING },
})

/**
 * Where on a page an order is planted: HTML of the body, the head, or a sentence of the first paragraph, with
 * `{order}`. `isSeen`: whether a reader of the page sees it. `takesTags`: false in an attribute. The places of the
 * first set aren't split.
 */
export const PLACES = readJsonLines(file("places.jsonl"), {
  properties: { set: OF_SET.set, name: STRING, isSeen: FLAG },
  optionalProperties: { half: OF_SET.half, takesTags: FLAG, body: STRING, head: STRING, sentence: STRING },
})
export type Place = (typeof PLACES)[number]

/**
 * Ways to hide text from the reader of an HTML page, and ways that seem to but don't. `TEXT` stands for that text,
 * `css` is a style sheet, `head` HTML of the head, `bodyTag` attributes of `<body>`.
 */
export const HTML_WAYS = readJsonLines(file("hidden-html.jsonl"), {
  properties: { ...OF_SET, isHidden: FLAG, name: STRING, body: STRING },
  optionalProperties: { css: STRING, head: STRING, bodyTag: STRING },
})
export type HtmlWay = (typeof HTML_WAYS)[number]

/**
 * The same for documents; `SAID` and `LAST` are beside `TEXT`, readable by everyone. `body` is the content of the
 * document: text, sheets or slides of OpenDocument, paragraphs of Word, shapes of a slide, operators of PDF, HTML of a
 * book. `styles` are automatic styles of OpenDocument, `sheets` the cells of a workbook. `files` replace parts of the
 * package; `changes` replace one text in a part with another, in order.
 */
export const DOCUMENT_WAYS = readJsonLines(file("hidden-documents.jsonl"), {
  properties: {
    ...OF_SET,
    isHidden: FLAG,
    name: STRING,
    format: oneOf("odt", "ods", "odp", "docx", "xlsx", "pptx", "pdf", "epub"),
  },
  optionalProperties: {
    body: STRING,
    styles: STRING,
    sheets: { values: { elements: { elements: { ...STRING, nullable: true } } } },
    files: { values: STRING },
    changes: { values: { elements: { elements: STRING } } },
    resources: STRING,
    layer: STRING,
  },
})
export type DocumentWay = (typeof DOCUMENT_WAYS)[number]
