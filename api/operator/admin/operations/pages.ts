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

/** Characters of the query whose ranks are asked for. */
export const MAX_QUERY_CHARS = 4000

const images = listOf(object({ url: text(), description: orNull(text()) }))
const passage = object({
  text: text("As it is searched."),
  headings: listOf(text()),
  ...optional({ shown: text("As results show it, where it holds code or a table.") }),
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
      facts: anyObject("What the text was made of."),
    }),
  ),
})
const Tried = namedObject("Tried", {
  url: text(),
  source: text(),
  belongs: yesNo("Whether a run of the source would visit it."),
  outcome: text("As runs record it: `indexed`, `skipped:noindex`, `failed:http-status`."),
  detail: orNull(text()),
  robots: object({ obeyed: yesNo(), allowed: orNull(yesNo()), detail: orNull(text()) }),
  reading: orNull(
    object({
      url: text("After redirects."),
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
        type: text("What it is written in: `html`, `pdf`."),
        unsafe: yesNo("For adults: left out of safe searches."),
        sources: listOf(text()),
        characters: count("Of its text."),
        images: count(),
        passages: listOf(passage, "In their order, up to 200."),
        passages_total: count(),
      },
      "As the index holds it; null: it does not.",
    ),
  ),
  other_forms: listOf(object({ url: text(), format: text() }), "The same document in other formats."),
  known: listOf(
    object({
      source: text(),
      outcome: text("Of the last visit."),
      detail: orNull(text()),
      job_id: orNull(count()),
      depth: count("Link steps from a seed."),
      found_how: text("`seed`, `link`, `sitemap`, `feed`, `llms`, `redirect`, `canonical`."),
      found_on: orNull(text()),
      first_seen: time(),
      visited_at: time(),
      changed_at: orNull(time()),
      due_at: orNull(time("Null: it is due now.")),
    }),
    "What each source knows of it.",
  ),
  linked_from: object({
    pages: listOf(object({ url: text(), source: text() }), "Up to 50."),
    all: yesNo("Whether these are all."),
  }),
})
const PageRecrawl = namedObject("PageRecrawl", { url: text(), jobs: listOf(Job) })

const page = text("The page.", webAddress)
const MISSING = "https://docs.example.com/missing"

/** What is known of one page. */
export const pageOperations = operations("Pages", "admin", {
  why: {
    at: "GET /admin/why",
    summary: "Why a page is found, or is not",
    query: {
      url: page,
      query: filled("Where it stands among the results for this is said, too.", {
        maxLength: MAX_QUERY_CHARS,
      }),
    },
    needs: ["url"],
    answers: ok(Trace, "Step by step."),
    refusals: [503],
    examples: [{ summary: "A page that is not there", query: { url: MISSING } }],
  },
  try: {
    at: "POST /admin/try",
    summary: "Read a page now as a run would, and index nothing",
    body: bodyOf({
      url: text("The page to read, an http or https address.", { "x-judged": webAddress }),
      ...optional({
        source: text("The source with whose settings it is read."),
        rendering: oneOf(["http", "browser", "auto"], "Instead of what the source says."),
      }),
    }),
    answers: ok(Tried, "What a run would make of it."),
    refusals: [404, 409, 422],
    examples: [
      {
        summary: "An address that may not be read",
        body: { url: "http://127.0.0.1:9/", rendering: "http" },
      },
    ],
  },
  pageState: {
    at: "GET /admin/page",
    summary: "One page as the index holds it: its passages, its dates, what links to it",
    description: "Asks no site. Links are looked for in up to 20,000 pages of each of its sources.",
    query: { url: page },
    needs: ["url"],
    answers: ok(PageState, "The page."),
    refusals: [503],
    examples: [{ summary: "A page that is not there", query: { url: MISSING } }],
  },
  recrawlPage: {
    at: "POST /admin/page/recrawl",
    summary: "Visit a page again now",
    description:
      "Its sources run over what is due, this page among the first; it is read in full whatever its site says of changes. A source that runs already is answered with that job.",
    body: bodyOf({ url: text("A page that a declared source has met.", { "x-judged": webAddress }) }),
    answers: accepted(PageRecrawl, "The jobs."),
    refusals: [409, 422],
    examples: [{ summary: "A page that no source has met", body: { url: MISSING }, status: 409 }],
  },
})
