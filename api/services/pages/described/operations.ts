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
    "The sources that it belongs to, the one that read it last first; none when the key may not know them.",
  ),
  collections: listOf(text(), "The collections that hold any of these."),
  type: oneOf(PAGE_TYPES, "Format of the page."),
  language: orNull(text("ISO 639-1.")),
  published_at: orNull(time("When it was published, according to the page.")),
  crawled_at: time("When a crawl read this text."),
  changed_at: orNull(time("When a crawl first saw the text as it is; null when that is not known.")),
  checked_at: time("When a crawl last found the page, changed or not."),
  format: oneOf(PAGE_FORMATS),
  section: orNull(text("Heading of the section that this is; null for the whole page.")),
  content: text("The reading, from `offset` on."),
  offset: count("Where `content` begins."),
  total_chars: count("Of the whole page, or section, of which `content` may be a part."),
  next_offset: orNull(count("`offset` of the rest; null when this is the end.")),
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
        time("When a crawl last found one of its pages; null as `pages`, or when none did."),
      ),
    }),
    "The sources that the key may see, by name.",
  ),
  response_time: responseTime,
  request_id: requestId,
})

const cost = `Costs what an extraction of one page costs (${PRICES.extract}), and counts as one; a page that is not there costs nothing.`

/** Pages of the index, by address. */
export const pageOperations = operations("Stored pages", "key", {
  getPage: {
    at: "GET /pages",
    summary: "Read a page from the index",
    description: `Nothing is read from the web, so pages behind a login are there too. Addresses that a crawl knows to be the same page find it: other spellings, equal texts, redirects. ${cost}`,
    query: {
      url: filled("Address of the page; without a scheme, https."),
      format: withDefault(
        oneOf(PAGE_FORMATS, "What `content` is written in. HTML is made of the reading and safe to show."),
        "markdown",
      ),
      section: filled("Heading of the only section wanted, by its words or as links name it.", {
        maxLength: MAX_SECTION_CHARS,
      }),
      offset: withDefault(
        count("Characters to leave out; `next_offset` of the answer before. Of HTML: of its Markdown."),
        0,
      ),
      limit: withDefault(
        whole(
          1,
          MAX_CONTENT_CHARS,
          "Characters of `content` at most; it ends between paragraphs where it can.",
        ),
        MAX_CONTENT_CHARS,
      ),
      include_usage: flag("Whether the answer says what it cost."),
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
      { summary: "A page that is not there", query: { url: "https://example.com/none" }, status: 404 },
    ],
  },
  readPage: {
    at: "GET /read/{url}",
    summary: "Read a page from the index by a prefix to its address",
    description: `In the forms of r.jina.ai: \`GET /read/https://example.com/a?b=c\`, with the address as it is or percent-encoded. \`Accept\` chooses \`text/plain\` (Markdown below a head of lines), \`text/markdown\`, \`text/html\` or \`application/json\`. ${cost}`,
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
      "WebP of at most 320 pixels on a side, from the appliance's own store: nothing is asked of the image's site. Free.",
    query: {
      page: filled("Address of the page."),
      image: filled("Address of the image, as results list it."),
    },
    needs: ["page", "image"],
    answers: {
      200: { description: "The thumbnail.", schema: text(), type: "image/webp" },
    },
    refusals: [404],
    examples: [
      {
        summary: "Of a page that is not there",
        query: { page: "https://example.com/none", image: "https://example.com/a.png" },
        status: 404,
      },
    ],
  },
  sources: {
    at: "GET /sources",
    summary: "What the index holds, source by source",
    description: "Free. As far as the key may see it.",
    answers: ok(SourcesInIndex, "The sources."),
    examples: [{ summary: "The sources" }],
  },
})
