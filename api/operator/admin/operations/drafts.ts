import { bodyOf } from "../../../server/operation/published.ts"
import { ok, operations } from "../../../server/operation/operation.ts"
import { webAddress } from "../../../server/operation/shared-fields.ts"
import {
  amount,
  anyObject,
  count,
  flag,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  type Schema,
  text,
  yesNo,
} from "../../../server/schema/schemas.ts"
import { crawlSize, sourceName, sparseSource } from "./source-schema.ts"
import { origin } from "./sources.ts"

const pagesInBrief = listOf(
  object({
    url: text(),
    outcome: text(),
    detail: orNull(text()),
    title: orNull(text()),
    language: orNull(text()),
    characters: count(),
    text: orNull(text("The beginning, as it would be indexed.")),
  }),
  "Up to five, as they read.",
)

const problems = listOf(
  object({ field: text("`limits.pages`; empty for the whole."), message: text() }),
  "Why it cannot be declared over the API; empty: it can.",
)

const SourceWritten = namedObject("SourceWritten", {
  name: text(),
  origin,
  source: sparseSource("With what differs from the defaults."),
  yaml: text("As a file of sources would have it."),
})
const SourcePreview = namedObject("SourcePreview", {
  name: orNull(text("Null when it has none.")),
  exists: orNull(oneOf(["file", "api"], "Where a source of this name is declared; null: there is none.")),
  yaml: text("As a file of sources would have it."),
  problems,
  closed_addresses: listOf(
    text(),
    "Its private addresses that are not open: `POST /admin/networks` can open them.",
  ),
  fits_file: yesNo("Whether a file of sources can have it, with what only the API refuses."),
  full_crawl: orNull(object(crawlSize, "Null while it is no source.")),
})
const SourceTrial = namedObject("SourceTrial", {
  problems,
  login: orNull(
    object({
      kind: oneOf(["basic", "headers", "cookies", "form"]),
      error: orNull(text("Why the site lets nobody in; null: it does.")),
    }),
  ),
  pages: pagesInBrief,
  requests: count("Made to the site, its login apart."),
  took_ms: amount(),
})
const Proposal = namedObject("Proposal", {
  asked: text(),
  url: orNull(text("Where it leads; null when nothing could be read.")),
  outcome: text("How the first visit ended, as runs record it."),
  detail: orNull(text()),
  title: orNull(text("Of the first page.")),
  robots: orNull(
    object(
      {
        allowed: yesNo("Whether it lets this crawler read that page."),
        detail: orNull(text()),
        delay_ms: orNull(amount("Pause that it asks for.")),
        sitemaps: listOf(text(), "It names."),
      },
      "What robots.txt says; null when it could not be read, or does not count.",
    ),
  ),
  program: orNull(
    object({
      name: text("`MediaWiki`, `Docusaurus`, or what the page calls its generator."),
      version: orNull(text()),
      evidence: listOf(text(), "How it shows."),
      recipe: orNull(text("Its section of the handbook's page Recipes.")),
    }),
  ),
  source: sparseSource("The source that fits, with what differs from the defaults."),
  yaml: text("The same as a file of sources would have it."),
  rendering: orNull(
    object({
      rendering: oneOf(["auto", "browser"]),
      because: text(),
      browser_missing: orNull(text("A browser is needed and there is none: what to install.")),
      characters: count("Of the first page's text without scripts."),
      characters_in_browser: orNull(count("With them; null when no browser looked.")),
    }),
  ),
  sitemap: orNull(
    object({
      url: text(),
      pages: count("Those of the source that it lists."),
      found_by_runs: yesNo("Else the source names it."),
    }),
  ),
  feeds: listOf(text()),
  languages: listOf(
    object({
      language: text("ISO 639-1."),
      from: oneOf(["page", "hreflang", "address"]),
      path: orNull(text("What the addresses of its pages begin with.")),
    }),
  ),
  login: orNull(
    object({
      url: text("Of the page with the form."),
      needed: yesNo("Nothing can be read without it."),
      user_field: orNull(text()),
      password_field: text(),
      hidden_fields: listOf(text(), "Sent as the page has them, such as a CSRF token."),
      plain: yesNo("It can be sent as it stands."),
    }),
  ),
  obstacles: listOf(
    object({
      kind: oneOf([
        "address",
        "browser",
        "certificate",
        "empty",
        "login",
        "network",
        "noindex",
        "pages",
        "robots",
        "server",
        "sitemap",
      ]),
      text: text(),
      help: orNull(text("What helps.")),
    }),
    "What stands in the way.",
  ),
  notes: listOf(text(), "What is to be known of its program."),
  estimate: orNull(
    object({
      pages: count(),
      from: oneOf(["sitemap", "links"], "`links`: there are at least so many."),
      delay_ms: amount(),
      seconds: count("Of a full crawl."),
    }),
  ),
  pages: pagesInBrief,
  requests: count("Made to the site."),
  took_ms: amount(),
})

/** Its source is checked as a source is, with all that is wrong, and not by this schema. */
const draft = bodyOf({
  source: {
    ...anyObject("As in the file of sources, with its name; wrong values are told, not refused."),
    required: [],
  } as Schema<Readonly<Record<string, unknown>>>,
})

/** A source while somebody writes it. */
export const draftOperations = operations("Sources", "admin", {
  proposeSource: {
    at: "POST /admin/sources/propose",
    summary: "Look once at a site, and propose how to crawl it",
    description:
      "A dozen requests at most, politely; it takes seconds, for a slow site up to a minute and a half. Declares nothing: `source` is what `PUT /admin/sources/{name}` takes.",
    body: bodyOf({
      url: text("Where to start, an http or https address; a folder stands for what is below it.", {
        "x-judged": webAddress,
      }),
      ...optional({
        ignore_robots: flag(
          "The site is yours: read what robots.txt forbids, and propose to do so. Only for hosts that FOSSICK_OWN_HOSTS or FOSSICK_ALLOWED_NETWORKS names.",
        ),
      }),
    }),
    answers: ok(Proposal, "What was found, and the source that fits."),
    refusals: [409, 422],
    examples: [{ summary: "An address that may not be read", body: { url: "http://127.0.0.1:9/" } }],
  },
  previewSource: {
    at: "POST /admin/sources/preview",
    summary: "What a source would be, without declaring it",
    description:
      "The same checks as `PUT /admin/sources/{name}`, told as an answer; the text for a file of sources; how long a run would take. Nothing is fetched.",
    body: draft,
    answers: ok(SourcePreview, "What is wrong, and how it is written."),
    refusals: [422],
    examples: [{ summary: "While it is written", body: { source: { name: "docs", seeds: [] } } }],
  },
  trySource: {
    at: "POST /admin/sources/trial",
    summary: "Try a source before it is declared: its login, and up to five of its pages",
    description:
      "As a run would read them, with the pauses that the site is due; it takes seconds, for a slow site up to a minute and a half. Indexes nothing. One that may not be declared is not tried: `problems` say why.",
    body: draft,
    answers: ok(SourceTrial, "How it went."),
    refusals: [409, 422],
    examples: [
      {
        summary: "A source that may not be declared",
        body: { source: { name: "router", seeds: ["http://127.0.0.1:9/"] } },
      },
    ],
  },
  sourceWritten: {
    at: "GET /admin/sources/{name}/written",
    summary: "One source as a file of sources would have it",
    path: { name: sourceName },
    answers: ok(SourceWritten, "The source."),
    refusals: [404],
    examples: [{ summary: "No such source", path: { name: "none" }, status: 404 }],
  },
})
