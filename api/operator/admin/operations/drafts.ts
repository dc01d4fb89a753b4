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
    text: orNull(text("Beginning of the text that would be indexed.")),
  }),
  "Up to five pages, as a run would read them.",
)

const problems = listOf(
  object({
    field: text("The field that is wrong, such as `limits.pages`; empty if the whole source is wrong."),
    message: text(),
  }),
  "Why the source cannot be declared over the API; empty if it can.",
)

const SourceWritten = namedObject("SourceWritten", {
  name: text(),
  origin,
  source: sparseSource("Only the fields that differ from their defaults."),
  yaml: text("The source as YAML for a sources file."),
})
const SourcePreview = namedObject("SourcePreview", {
  name: orNull(text("Null if the draft has no name.")),
  exists: orNull(oneOf(["file", "api"], "Where a source with this name is already declared, or null.")),
  yaml: text("The source as YAML for a sources file."),
  problems,
  closed_addresses: listOf(
    text(),
    "Private addresses of the source that are not open yet; `POST /admin/networks` can open them.",
  ),
  fits_file: yesNo(
    "Whether it is allowed in a sources file, where some fields are allowed that the API refuses.",
  ),
  full_crawl: orNull(object(crawlSize, "Null while the draft is not a valid source.")),
})
const SourceTrial = namedObject("SourceTrial", {
  problems,
  login: orNull(
    object({
      kind: oneOf(["basic", "headers", "cookies", "form"]),
      error: orNull(text("Why the login failed; null if it worked.")),
    }),
  ),
  pages: pagesInBrief,
  requests: count("Requests made to the site, not counting its login."),
  took_ms: amount(),
})
const Proposal = namedObject("Proposal", {
  asked: text(),
  url: orNull(text("Address after redirects; null if nothing could be read.")),
  outcome: text("Outcome of the first visit, as recorded by runs."),
  detail: orNull(text()),
  title: orNull(text("Title of the first page.")),
  robots: orNull(
    object(
      {
        allowed: yesNo("Whether robots.txt lets this crawler read that page."),
        detail: orNull(text()),
        delay_ms: orNull(amount("Pause that robots.txt asks for.")),
        sitemaps: listOf(text(), "Sitemaps listed in robots.txt."),
      },
      "The rules of robots.txt; null if it could not be read or is ignored.",
    ),
  ),
  program: orNull(
    object({
      name: text("`MediaWiki`, `Docusaurus` and so on, or the generator that the page names."),
      version: orNull(text()),
      evidence: listOf(text(), "Evidence found on the site."),
      recipe: orNull(text("Section about it on the handbook's Recipes page.")),
    }),
  ),
  source: sparseSource("The proposed source: only the fields that differ from their defaults."),
  yaml: text("The same source as YAML for a sources file."),
  rendering: orNull(
    object({
      rendering: oneOf(["auto", "browser"]),
      because: text(),
      browser_missing: orNull(text("What to install if a browser is needed but missing.")),
      characters: count("Characters of the first page's text without scripts."),
      characters_in_browser: orNull(count("The same with scripts; null if no browser was used.")),
    }),
  ),
  sitemap: orNull(
    object({
      url: text(),
      pages: count("Pages of the source that the sitemap lists."),
      found_by_runs: yesNo("Whether runs find the sitemap; if not, it is listed in the proposed source."),
    }),
  ),
  feeds: listOf(text()),
  languages: listOf(
    object({
      language: text("ISO 639-1."),
      from: oneOf(["page", "hreflang", "address"]),
      path: orNull(text("Beginning of the addresses in this language.")),
    }),
  ),
  login: orNull(
    object({
      url: text("Address of the page with the login form."),
      needed: yesNo("Whether nothing can be read without a login."),
      user_field: orNull(text()),
      password_field: text(),
      hidden_fields: listOf(text(), "Fields sent with the page's own values, such as a CSRF token."),
      plain: yesNo("Whether the form is sent by POST to its own site, so that a source can log in with it."),
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
      help: orNull(text("How to get past the obstacle.")),
    }),
    "Obstacles to a crawl.",
  ),
  notes: listOf(text(), "Notes about the software that the site runs on."),
  estimate: orNull(
    object({
      pages: count(),
      from: oneOf(["sitemap", "links"], "`links`: the site has at least this many pages."),
      delay_ms: amount(),
      seconds: count("Duration of a full crawl."),
    }),
  ),
  pages: pagesInBrief,
  requests: count("Requests made to the site."),
  took_ms: amount(),
})

/** The handler checks the source and reports every problem, so this schema accepts any. */
const draft = bodyOf({
  source: {
    ...anyObject("As in the sources file, with its name. Wrong values are reported, not refused."),
    required: [],
  } as Schema<Readonly<Record<string, unknown>>>,
})

/** Drafts of sources. */
export const draftOperations = operations("Sources", "admin", {
  proposeSource: {
    at: "POST /admin/sources/propose",
    summary: "Look at a site and propose how to crawl it",
    description:
      "Makes at most a dozen polite requests. Takes seconds, or up to a minute and a half for a slow site. Declares nothing: send `source` to `PUT /admin/sources/{name}` to do that.",
    body: bodyOf({
      url: text("Address to start from, http or https. A folder includes everything below it.", {
        "x-judged": webAddress,
      }),
      ...optional({
        ignore_robots: flag(
          "Ignores robots.txt, now and in the proposed source, because the site is yours. Only for hosts in FOSSICK_OWN_HOSTS or FOSSICK_ALLOWED_NETWORKS.",
        ),
      }),
    }),
    answers: ok(Proposal, "The findings and the proposed source."),
    refusals: [409, 422],
    examples: [{ summary: "An address that can't be read", body: { url: "http://127.0.0.1:9/" } }],
  },
  previewSource: {
    at: "POST /admin/sources/preview",
    summary: "Check a source without declaring it",
    description:
      "Runs the checks of `PUT /admin/sources/{name}` and answers with the problems, the YAML for a sources file, and how long a run would take. Fetches nothing.",
    body: draft,
    answers: ok(SourcePreview, "The problems and the YAML."),
    refusals: [422],
    examples: [{ summary: "An unfinished draft", body: { source: { name: "docs", seeds: [] } } }],
  },
  trySource: {
    at: "POST /admin/sources/trial",
    summary: "Try a source before declaring it: its login and up to five pages",
    description:
      "Reads the pages as a run would, with the same pauses. Takes seconds, or up to a minute and a half for a slow site. Indexes nothing. A source that can't be declared isn't tried; `problems` says why.",
    body: draft,
    answers: ok(SourceTrial, "The result."),
    refusals: [409, 422],
    examples: [
      {
        summary: "A source that can't be declared",
        body: { source: { name: "router", seeds: ["http://127.0.0.1:9/"] } },
      },
    ],
  },
  sourceWritten: {
    at: "GET /admin/sources/{name}/written",
    summary: "One source as YAML for a sources file",
    path: { name: sourceName },
    answers: ok(SourceWritten, "The source."),
    refusals: [404],
    examples: [{ summary: "No such source", path: { name: "none" }, status: 404 }],
  },
})
