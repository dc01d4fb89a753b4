import type { ObjectSchema } from "../operation/tool.ts"
import {
  anyObject,
  anyOf,
  byName,
  type Fields,
  listOf,
  object,
  optional,
  orNull,
  share,
  text,
  yesNo,
} from "../schema/schemas.ts"
import { NOTHING_FITS, type ExtractAnswer } from "./answer-text.ts"
import { degradedNote, missText, nothingFits, type SearchAnswer } from "./answers.ts"

// Tools' answers for programs: the same content as the text, in fields that a schema describes.

/** An object schema as the protocol requires it. Additional fields are allowed, so that answers can grow. */
const output = (fields: Fields): ObjectSchema => object(fields)

const title = text()
const url = text()
const note = text("Notes on the answer as a whole; omitted if empty.")

const warnings = listOf(text(), "Arguments that the answer does not honour; omitted if empty.")

export const searchResultsSchema = output({
  results: listOf(object({ id: text("For `fetch`."), title, url }), "Best first."),
  ...optional({ note }),
})

export const fetchSchema = output({
  id: text("Id of this text."),
  title,
  text: text("Markdown."),
  url,
  metadata: byName(
    text(),
    "Source, language, and the dates of publication, of the crawl and of the last check.",
  ),
})

const score = share("The chance that the page answers the question.")

export const pagesSchema = output({
  answer: orNull(text("Cited sentences; each number is a position in `results`.")),
  results: listOf(
    object({
      title,
      url,
      content: text("The passages that answer the question."),
      score,
      ...optional({
        raw_content: text("The whole page."),
        sources: listOf(text()),
        collections: listOf(text()),
        type: text(),
        section: object({ heading: orNull(text()), ...optional({ page: text(), url: text() }) }),
        pages: listOf(
          object({ page: text(), ...optional({ url: text() }) }),
          "In a document: where each passage of `content` is.",
        ),
        published_date: text(),
        checked_at: text(),
        addresses_models: yesNo(),
      }),
    }),
    "Best first; empty when nothing here fits.",
  ),
  ...optional({
    note,
    warnings,
    nearest: listOf(object({ title, url, score }), "When nothing fits: the closest pages."),
  }),
})

/** The answer of {@link searchText}, in fields. */
export function searchOutput(answer: unknown) {
  const found = answer as SearchAnswer
  if (nothingFits(found)) {
    return {
      answer: null,
      results: [],
      ...noteOf(`${NOTHING_FITS}${missText(found)}`, degradedNote(found)),
      nearest: found.results.map((one) => ({ title: one.title, url: one.url, score: one.score })),
    }
  }
  return {
    answer: found.answer,
    ...noteOf(degradedNote(found)),
    results: found.results.map((one) => ({
      title: one.title,
      url: one.url,
      content: one.content,
      score: one.score,
      ...(one.raw_content !== null && { raw_content: one.raw_content }),
      ...(one.sources && { sources: one.sources }),
      ...(one.collections && { collections: one.collections }),
      ...(one.type && { type: one.type }),
      ...(one.section && { section: one.section }),
      ...(one.pages && { pages: one.pages }),
      ...(one.published_date && { published_date: one.published_date }),
      ...(one.checked_at && { checked_at: one.checked_at }),
      ...(one.addresses_models && { addresses_models: true }),
    })),
  }
}

/** The field `note`, if there is a note. */
export function noteOf(...parts: readonly (string | false)[]) {
  const said = parts.filter((part) => part !== false)
  return said.length > 0 ? { note: said.join(" ") } : {}
}

const page = object({
  url,
  raw_content: text("Markdown, or passages of it."),
  ...optional({
    title,
    addresses_models: yesNo(),
    from_index: object(
      { checked_at: text("When a crawl last found the page in this state."), live_error: text() },
      "Only for a page that comes from the index because it could not be read now.",
    ),
  }),
})

export const listSchema = output({
  results: listOf(page),
  failed_results: listOf(object({ url, error: text() })),
  ...optional({ note, warnings }),
})

export const extractOutput = (answer: ExtractAnswer) => ({
  ...noteOf(degradedNote(answer)),
  results: answer.results.map(pageOutput),
  failed_results: answer.failed_results.map(({ url: failed, error }) => ({ url: failed, error })),
})

export const walkSchema = output({ base_url: url, results: listOf(page), ...optional({ note, warnings }) })

export interface CrawlOutput {
  readonly base_url: string
  readonly results: ExtractAnswer["results"]
}

export const crawlOutput = (answer: CrawlOutput) => ({
  ...noteOf(degradedNote(answer)),
  base_url: answer.base_url,
  results: answer.results.map(pageOutput),
})

function pageOutput(one: ExtractAnswer["results"][number]) {
  return {
    url: one.url,
    ...(one.title !== undefined && { title: one.title }),
    raw_content: one.raw_content ?? "",
    ...(one.addresses_models && { addresses_models: true }),
    ...(one.from_index && { from_index: one.from_index }),
  }
}

export const mapOutput = {
  schema: output({ base_url: url, results: listOf(text()), ...optional({ note, warnings }) }),
  of: (answer: unknown) => {
    const { base_url, results } = answer as { readonly base_url: string; readonly results: readonly string[] }
    return { ...noteOf(degradedNote(answer)), base_url, results }
  },
}

export const reportSchema = output({
  content: anyOf([text(), anyObject()], "The report; each number is a position in `sources`."),
  sources: listOf(object({ title, url })),
  ...optional({ note, warnings }),
})
