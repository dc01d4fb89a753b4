import { bodyOf } from "../../../server/operation/published.ts"
import { accepted, ok, operations } from "../../../server/operation/operation.ts"
import { filled, webAddress } from "../../../server/operation/shared-fields.ts"
import {
  amount,
  anyObject,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
  yesNo,
} from "../../../server/schema/schemas.ts"
import { Job } from "./jobs.ts"

/** Maximum length in characters of the query for which a trace ranks the page. */
export const MAX_QUERY_CHARS = 4000

const images = listOf(object({ url: text(), description: orNull(text()) }))
const passage = object({
  text: text("The text that is searched."),
  headings: listOf(text()),
  ...optional({ shown: text("The text as shown in results, if it contains code or a table.") }),
})

const Trace = namedObject("Trace", {
  url: text(),
  in_index: yesNo(),
  summary: text(),
  steps: listOf(
    object({
      name: text(),
      verdict: oneOf(["yes", "no", "note"]),
      text: text(),
      facts: anyObject("Values that the text was made from."),
    }),
  ),
})
const Tried = namedObject("Tried", {
  url: text(),
  source: text(),
  belongs: yesNo("Whether a run of the source would visit it."),
  outcome: text("Outcome as recorded by runs: `indexed`, `skipped:noindex`, `failed:http-status`."),
  detail: orNull(text()),
  robots: object({ obeyed: yesNo(), allowed: orNull(yesNo()), detail: orNull(text()) }),
  reading: orNull(
    object({
      url: text("Address after redirects."),
      status: count(),
      content_type: text(),
      bytes: count(),
      canonical: orNull(text()),
      noindex: yesNo(),
      nofollow: yesNo(),
      links: object({ total: count(), followed: count(), nofollow: count(), outside: count() }),
      feeds: listOf(text()),
      note: orNull(text()),
    }),
  ),
  page: orNull(
    object({
      title: text(),
      description: orNull(text()),
      language: orNull(text()),
      author: orNull(text()),
      published_at: orNull(time()),
      topic: orNull(text()),
      country: orNull(text()),
      unsafe: yesNo(),
      images,
      favicon: orNull(text()),
      markdown: text(),
      passages: listOf(passage),
    }),
  ),
  took_ms: amount(),
})
const PageState = namedObject("PageState", {
  url: text(),
  page: orNull(
    object(
      {
        title: text(),
        description: orNull(text()),
        language: orNull(text()),
        author: orNull(text()),
        published_at: orNull(time()),
        crawled_at: time(),
        topic: orNull(text()),
        type: text("Format of the page: `html`, `pdf`."),
        unsafe: yesNo("Whether the page is for adults and left out of safe searches."),
        sources: listOf(text()),
        characters: count("Characters of its text."),
        images: count(),
        passages: listOf(passage, "Up to 200 passages, in order."),
        passages_total: count(),
      },
      "The page as indexed; null if it isn't in the index.",
    ),
  ),
  other_forms: listOf(object({ url: text(), format: text() }), "The same document in other formats."),
  known: listOf(
    object({
      source: text(),
      outcome: text("Outcome of the last visit."),
      detail: orNull(text()),
      job_id: orNull(count()),
      depth: count("Number of links from a seed."),
      found_how: text("`seed`, `link`, `sitemap`, `feed`, `llms`, `redirect`, `canonical`, `content`."),
      found_on: orNull(text()),
      first_seen: time(),
      visited_at: time(),
      changed_at: orNull(time()),
      due_at: orNull(time("When the next visit is due; null if it is due now.")),
    }),
    "The page in each source that knows it.",
  ),
  linked_from: object({
    pages: listOf(object({ url: text(), source: text() }), "Up to 50 pages."),
    all: yesNo("Whether the list is complete."),
  }),
})
const PageRecrawl = namedObject("PageRecrawl", { url: text(), jobs: listOf(Job) })

const page = text("The page.", webAddress)
const MISSING = "https://docs.example.com/missing"

/** Calls about one page. */
export const pageOperations = operations("Pages", "admin", {
  why: {
    at: "GET /admin/why",
    summary: "Why a page is found or not",
    query: {
      url: page,
      query: filled("Query for which the answer also gives the page's rank.", {
        maxLength: MAX_QUERY_CHARS,
      }),
    },
    needs: ["url"],
    answers: ok(Trace, "The explanation, step by step."),
    refusals: [503],
    examples: [{ summary: "A missing page", query: { url: MISSING } }],
  },
  try: {
    at: "POST /admin/try",
    summary: "Read a page now as a run would, and index nothing",
    body: bodyOf({
      url: text("The page to read, an http or https address.", { "x-judged": webAddress }),
      ...optional({
        source: text("Source whose settings apply to the page."),
        rendering: oneOf(["http", "browser", "auto"], "Rendering to use instead of the source's."),
      }),
    }),
    answers: ok(Tried, "The page as a run would see it."),
    refusals: [404, 409, 422],
    examples: [
      {
        summary: "An address that can't be read",
        body: { url: "http://127.0.0.1:9/", rendering: "http" },
      },
    ],
  },
  pageState: {
    at: "GET /admin/page",
    summary: "One page in the index: its passages, its dates and the pages that link to it",
    description: "Fetches nothing. Looks for links in up to 20,000 pages of each of its sources.",
    query: { url: page },
    needs: ["url"],
    answers: ok(PageState, "The page."),
    refusals: [503],
    examples: [{ summary: "A missing page", query: { url: MISSING } }],
  },
  recrawlPage: {
    at: "POST /admin/page/recrawl",
    access: "operator",
    summary: "Revisit a page now",
    description:
      "Runs the page's sources for everything that is due, with this page among the first. The page is read in full even if its site reports no change. If a source is already running, the answer contains that job.",
    body: bodyOf({ url: text("A page that a declared source knows.", { "x-judged": webAddress }) }),
    answers: accepted(PageRecrawl, "The jobs."),
    refusals: [409, 422],
    examples: [{ summary: "A page that no source knows", body: { url: MISSING }, status: 409 }],
  },
})
