import { LONGEST_PRINCIPAL } from "#engine/index/page/readers.ts"

import { bodyOf } from "../../server/operation/published.ts"
import { ok, operations } from "../../server/operation/operation.ts"
import { filled, ofSlice, sliceOf, webAddress } from "../../server/operation/shared-fields.ts"
import {
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  share,
  text,
  time,
  whole,
  withDefault,
  yesNo,
} from "../../server/schema/schemas.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../server/wire/list-limits.ts"

const MOST_WRITTEN = 1000
const MAX_QUERY_CHARS = 400

const allow = listOf(
  listOf(text()),
  "A reader must be in each list. Without a list, everybody may read; an empty list lets no one in.",
)
const deny = listOf(text(), "None of these may read, whatever `allow` says.")
const Readers = namedObject("Readers", { allow, deny })
const asked = object({
  principals: orNull(listOf(text(), "The users and groups that they read as; null if they read every page.")),
  person: orNull(text("Id of the person; null if principals were given.")),
  user: orNull(text()),
  refusal: orNull(text("Why they have no access; null if they have access.")),
})

const PageReaders = namedObject("PageReaders", {
  url: text(),
  in_index: yesNo(),
  title: orNull(text()),
  rules: listOf(
    object({
      kind: oneOf(
        ["person", "role", "source", "page"],
        "`person`: whether they have any access; `role`: the sources that their role allows; `source`: the readers of a source; `page`: those of the page.",
      ),
      source: orNull(text()),
      from: orNull(text("Where the rule was found, in words.")),
      lets_in: orNull(yesNo("Whether the rule lets the person in; null without `person` and `principals`.")),
      text: text("The rule in a sentence."),
    }),
    "The rules that a reader has to pass, in order.",
  ),
  observed: listOf(
    object({
      source: text(),
      observer: text("Name of the observer, as in the source."),
      shown: yesNo("Whether the site showed the page to the observer."),
      reason: text("Why, in words."),
      at: time("When the observer last looked."),
    }),
    "What the site showed the observers; the readers of the page were learned from it.",
  ),
  effective: orNull(Readers),
  may_read: orNull(yesNo("Null without `person` and `principals`, or if the page isn't in the index.")),
  because: orNull(text("The first rule that keeps them out, or null.")),
  asked: orNull(asked),
  people: object(
    { total: count(), of: count("All people who have access."), users: listOf(text(), "Up to 20.") },
    "People who have signed in before and may read the page.",
  ),
})

const PagesForNobody = namedObject("PagesForNobody", {
  pages: listOf(object({ url: text(), source: text() }), "Sorted by source and address."),
  total: count("The number of all entries, not only of those listed. A page counts for each of its sources."),
})

const reach = oneOf(["all", "some", "none"])
const SeenBy = namedObject("SeenBy", {
  asked,
  sources: listOf(
    object({
      source: text(),
      reach,
      pages: count("Pages in the index."),
      readable: count("Pages that they may read."),
      text: text("The rule of the source in words."),
    }),
  ),
  pages: count("Pages in the index."),
  readable: count("Pages that they may read."),
  sample: listOf(
    object({ url: text(), title: text(), source: text() }),
    "Some of the pages that they may read.",
  ),
})

const ReadersMatrix = namedObject("ReadersMatrix", {
  sources: listOf(object({ source: text(), pages: count() }), "Up to 100 sources, by name."),
  sources_total: count(),
  rows: listOf(
    object({
      principal: orNull(text("`signed-in` or a group; null: people who search without signing in.")),
      people: orNull(count("People in the group.")),
      cells: listOf(object({ reach, readable: count() }), "One for each source, in their order."),
    }),
    "The first two rows are everybody and everybody who has signed in.",
  ),
  ...ofSlice,
})

const change = object({ before: count(), after: count() })
const shown = object({ total: count(), users: listOf(text(), "Up to 20.") })
const ReadersPreview = namedObject("ReadersPreview", {
  source: text(),
  before: Readers,
  after: Readers,
  pages: count("Pages of the source."),
  pages_gained: count("Pages that gain at least one reader."),
  pages_lost: count("Pages that lose at least one reader."),
  people: count("People that readers can keep out: not admins, and not people without access."),
  gaining: { ...shown, description: "People who could read more pages." },
  losing: { ...shown, description: "People who could read fewer pages." },
  everybody: { ...change, description: "Pages that everybody may read, signed in or not." },
  signed_in: { ...change, description: "Pages that everybody who has signed in may read." },
  warnings: listOf(
    text(),
    "Reasons to check the change again: it opens more than a fifth of the pages, or lets in more than a fifth of the people.",
  ),
})

const SearchAs = namedObject("SearchAs", {
  asked,
  results: listOf(
    object({ url: text(), title: text(), score: share(), sources: listOf(text()), text: text() }),
  ),
})

const principal = text(undefined, { minLength: 1, maxLength: LONGEST_PRINCIPAL })
const written = object(
  optional({
    allow: listOf(principal, "As in the source. Without it: everybody.", { maxItems: MOST_WRITTEN }),
    deny: listOf(principal, "As in the source.", { maxItems: MOST_WRITTEN }),
  }),
  "The new readers, as in the source; null: everybody.",
  { additionalProperties: false },
)
const whom = {
  person: filled("Id of a person, or the name of a user."),
  principals: filled(
    "Instead of a person: users and groups, separated by commas, such as `group:hr,signed-in`.",
  ),
}
const MISSING = "https://docs.example.com/missing"
const nobody = {
  summary: "A person who has never signed in",
  query: { person: "nobody@example.com" },
  status: 400,
}

/** Who may read pages, and why. */
export const readersOperations = operations("Readers", "admin", {
  pageReaders: {
    at: "GET /admin/readers",
    summary: "Who may read a page, and why",
    query: { url: text("The page.", webAddress), ...whom },
    needs: ["url"],
    answers: ok(PageReaders, "The rules."),
    refusals: [503],
    examples: [{ summary: "A missing page", query: { url: MISSING, principals: "group:hr" } }],
  },
  seenBy: {
    at: "GET /admin/readers/seen-by",
    summary: "What a person or group may read",
    description: "Needs `person` or `principals`. Counts are at most a few seconds old.",
    query: whom,
    answers: ok(SeenBy, "Their sources."),
    refusals: [503],
    examples: [{ summary: "A group", query: { principals: "group:hr,signed-in" } }, nobody],
  },
  pagesForNobody: {
    at: "GET /admin/readers/for-nobody",
    summary: "Pages that no one may read",
    description:
      "Their readers let no one in: they name no one, or everyone they name is also denied. Only keys with the role `admin` find these pages.",
    query: { limit: withDefault(whole(1, MAX_LIMIT, "Maximum number of pages."), DEFAULT_LIMIT) },
    answers: ok(PagesForNobody, "The pages."),
    examples: [{ summary: "The first pages" }],
  },
  readersMatrix: {
    at: "GET /admin/readers/matrix",
    summary: "Which groups may read which sources",
    query: { source: filled("Only sources whose name contains this."), ...sliceOf("groups") },
    answers: ok(ReadersMatrix, "Groups and sources."),
    refusals: [503],
    examples: [{ summary: "All groups" }],
  },
  previewReaders: {
    at: "POST /admin/readers/preview",
    summary: "Who would gain and lose access to pages if the readers of a source changed",
    description: "Nothing is saved. Only people who have signed in are counted.",
    body: bodyOf({ source: text("Name of a source."), readers: orNull(written) }),
    answers: ok(ReadersPreview, "Who gains access to pages, and who loses it."),
    refusals: [422, 503],
    examples: [
      { summary: "For a group only", body: { source: "docs", readers: { allow: ["group:hr"] } } },
      {
        summary: "A name that isn't a user or group",
        body: { source: "docs", readers: { allow: ["hr"] } },
        status: 422,
      },
    ],
  },
  searchAs: {
    at: "POST /admin/readers/search",
    summary: "Search as a person or group",
    description:
      "Finds what they would find. The audit log notes who made the search, as which person or group, and the query. Needs `person` or `principals`.",
    body: bodyOf(
      { query: filled("The query.", { maxLength: MAX_QUERY_CHARS }), ...optional(whom) },
      { required: true, oneOf: [{ required: ["person"] }, { required: ["principals"] }] },
    ),
    answers: ok(SearchAs, "The results."),
    refusals: [400, 422, 503],
    examples: [{ summary: "As a group", body: { query: "salary", principals: "group:hr,signed-in" } }],
  },
})
