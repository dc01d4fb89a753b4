import { PAGE_TYPES } from "#engine/index/page/page-type.ts"

import { PRICES } from "../../../identity/accounts/billing/credits.ts"
import { MAX_CONTENT_CHARS, MAX_SECTION_CHARS, PAGE_FORMATS } from "../stored-reading.ts"
import { ok, operations } from "../../../server/operation/operation.ts"
import {
  count,
  flag,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
  whole,
  withDefault,
} from "../../../server/schema/schemas.ts"
import {
  addressesModels,
  filled,
  requestId,
  responseTime,
  usage,
} from "../../../server/operation/shared-fields.ts"

const StoredPage = namedObject("StoredPage", {
  url: text("Address of the page in the index, which may differ from the one asked for."),
  title: text(),
  description: orNull(text()),
  author: orNull(text()),
  sources: listOf(
    text(),
    "The sources it belongs to, starting with the one that read it last; empty if the key may not see them.",
  ),
  collections: listOf(text(), "The collections that contain any of these."),
  type: oneOf(PAGE_TYPES, "Format of the page."),
  language: orNull(text("ISO 639-1.")),
  published_at: orNull(time("When it was published, according to the page.")),
  crawled_at: time("When a crawl read this text."),
  changed_at: orNull(time("When a crawl first saw the current text; null if unknown.")),
  checked_at: time("When a crawl last found the page, changed or not."),
  format: oneOf(PAGE_FORMATS),
  section: orNull(text("Heading of this section; null for the whole page.")),
  content: text("The text, from `offset` on."),
  offset: count("Where `content` begins."),
  total_chars: count("Length of the whole page or section, of which `content` can be a part."),
  next_offset: orNull(count("`offset` for the rest; null at the end.")),
  response_time: responseTime,
  request_id: requestId,
  ...optional({ addresses_models: addressesModels, usage }),
})
const SourcesInIndex = namedObject("SourcesInIndex", {
  about: orNull(text("The operator's description of the index.")),
  sources: listOf(
    object({
      name: text(),
      pages: orNull(count("Pages in the index; null for a key that is limited to domains.")),
      starts: listOf(text(), "Where its crawls start, without parameters."),
      checked_at: orNull(
        time(
          "When a crawl last found one of its pages; null if none did, and for a key that is limited to domains.",
        ),
      ),
    }),
    "The sources that the key may see, by name.",
  ),
  response_time: responseTime,
  request_id: requestId,
})

const cost = `Costs and counts as much as extracting one page (${PRICES.extract}); a missing page costs nothing.`

/** Pages of the index, by address. */
export const pageOperations = operations("Stored pages", "key", {
  getPage: {
    at: "GET /pages",
    summary: "Read a page from the index",
    description: `Nothing is fetched from the web, so you can read pages behind a login too. Other addresses that a crawl knows to be the same page work as well: other spellings, equal texts, redirects. ${cost}`,
    query: {
      url: filled("Address of the page; the scheme defaults to https."),
      format: withDefault(
        oneOf(PAGE_FORMATS, "Format of `content`. The HTML is made from the text and safe to show."),
        "markdown",
      ),
      section: filled("Returns only the section with this heading: its words, or its anchor in links.", {
        maxLength: MAX_SECTION_CHARS,
      }),
      offset: withDefault(
        count(
          "Characters to skip: `next_offset` from the previous answer. For HTML, characters of its Markdown.",
        ),
        0,
      ),
      limit: withDefault(
        whole(
          1,
          MAX_CONTENT_CHARS,
          "Maximum length of `content` in characters; it ends between paragraphs if possible.",
        ),
        MAX_CONTENT_CHARS,
      ),
      include_usage: flag("Whether to include `usage`, the cost in credits."),
    },
    needs: ["url"],
    answers: ok(StoredPage, "The page."),
    refusals: [404, 422, 432, 433],
    examples: [
      {
        summary: "A page as Markdown",
        query: { url: "https://example.com/pumps" },
        answer: {
          url: "https://example.com/pumps",
          title: "Pumps",
          description: "All about pumps.",
          author: null,
          sources: ["manuals"],
          collections: [],
          type: "html",
          language: "en",
          published_at: "2025-03-11T17:00:00.000Z",
          crawled_at: "2025-04-01T00:00:00.000Z",
          changed_at: "2025-04-01T00:00:00.000Z",
          checked_at: "2025-04-08T00:00:00.000Z",
          format: "markdown",
          section: null,
          content: "# Pumps\n\nA **pump** moves water.",
          offset: 0,
          total_chars: 32,
          next_offset: null,
          response_time: 0.01,
          request_id: "4b0b5f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
        },
      },
      { summary: "A missing page", query: { url: "https://example.com/none" }, status: 404 },
    ],
  },
  readPage: {
    at: "GET /read/{url}",
    summary: "Read a page from the index by putting a prefix before its address",
    description: `In the format of r.jina.ai: \`GET /read/https://example.com/a?b=c\`, with the address as it is or percent-encoded. \`Accept\` chooses \`text/plain\` (Markdown after a few header lines), \`text/markdown\`, \`text/html\` or \`application/json\`. ${cost}`,
    path: { url: filled("Address of the page, with its slashes and parameters.") },
    answers: {
      200: { description: "The page.", schema: text(), type: "text/plain" },
    },
    refusals: [404, 422, 432, 433],
    examples: [{ summary: "A page", path: { url: "https://example.com/pumps" } }],
  },
  getThumbnail: {
    at: "GET /thumbnails",
    summary: "An image of a page, as a crawl saw it",
    description:
      "WebP of at most 320 pixels on a side, from the appliance's own store: the image's site is not contacted. Free.",
    query: {
      page: filled("Address of the page."),
      image: filled("Address of the image, as listed in results."),
    },
    needs: ["page", "image"],
    answers: {
      200: { description: "The thumbnail.", schema: text(), type: "image/webp" },
    },
    refusals: [404],
    examples: [
      {
        summary: "A missing page",
        query: { page: "https://example.com/none", image: "https://example.com/a.png" },
        status: 404,
      },
    ],
  },
  sources: {
    at: "GET /sources",
    summary: "What the index contains, by source",
    description: "Lists what the key may see. Free.",
    answers: ok(SourcesInIndex, "The sources."),
    examples: [{ summary: "The sources" }],
  },
})
