import { PAGE_TYPES } from "#engine/index/page/page-type.ts"

import { PRICES } from "../../../identity/accounts/billing/credits.ts"
import { MAX_CONTENT_CHARS, MAX_SECTION_CHARS, PAGE_FORMATS } from "../stored-reading.ts"
import { NOT_BLANK } from "../../../server/wire/validate.ts"
import { type Operation, query } from "../../../server/operation/operation.ts"
import { count, listOf, object, oneOf, orNull, ref, text, time } from "../../../server/operation/schemas.ts"
import { addressesModels } from "../../../server/operation/shared-fields.ts"

const requestId = { type: "string", format: "uuid", description: "Also in the header `X-Request-Id`." }
const seconds = { type: "number", minimum: 0, description: "Seconds." }

export const pageSchemas = {
  StoredPage: object(
    {
      url: text("Of the page; another one than was asked for where the index has it under that one."),
      title: text(),
      description: orNull(text()),
      author: orNull(text()),
      sources: listOf(
        text(),
        "The sources that it belongs to, the one that read it last first; none when the key may not know them.",
      ),
      collections: listOf(text(), "The collections that hold any of these."),
      type: oneOf(PAGE_TYPES, "What the page is written in."),
      language: orNull(text("ISO 639-1.")),
      published_at: orNull(time("When it was published, as it says itself.")),
      crawled_at: time("When a crawl read this text."),
      changed_at: orNull(time("When a crawl first saw the text as it is; null when that is not known.")),
      checked_at: time("When a crawl last found the page, changed or not."),
      format: oneOf(PAGE_FORMATS),
      section: orNull(text("Heading of the section that this is; null for the whole page.")),
      content: text("The reading, from `offset` on."),
      offset: count("Where `content` begins."),
      total_chars: count("Of the whole page, or section, of which `content` may be a part."),
      next_offset: orNull(count("Where to go on; null when this is the end.")),
      response_time: seconds,
      request_id: requestId,
    },
    { optional: { addresses_models: addressesModels, usage: ref("Usage") } },
  ),
  SourcesInIndex: object({
    about: orNull(text("What the operator says of the index.")),
    sources: listOf(
      object({
        name: text(),
        pages: orNull(count("Pages in the index; null for a key that is limited to domains.")),
        starts: listOf(text(), "Where its crawls start, without parameters."),
        checked_at: orNull(
          time("When a crawl last found one of its pages; null as `pages`, or when none did."),
        ),
      }),
      "Those that the key may see, by name.",
    ),
    response_time: seconds,
    request_id: requestId,
  }),
}

const notBlank = { type: "string", pattern: NOT_BLANK }
const cost = `Costs what an extraction of one page costs (${PRICES.extract}), and counts as one; a page that is not there costs nothing.`

/** What the index holds, by address. */
export const pageOperations: readonly Operation[] = [
  {
    id: "getPage",
    method: "get",
    path: "/pages",
    tag: "Stored pages",
    summary: "Read a page from the index",
    description: `Nothing is read from the web, so pages behind a login are there too. Addresses that a crawl knows to be the same page find it: other spellings, equal texts, redirects. ${cost}`,
    access: "key",
    parameters: [
      query("url", "Address of the page; without a scheme, https.", notBlank, true),
      query("format", "What `content` is written in. HTML is made of the reading and safe to show.", {
        type: "string",
        enum: PAGE_FORMATS,
        default: "markdown",
      }),
      query("section", "Heading of the section that is wanted alone, by its words or as links name it.", {
        ...notBlank,
        maxLength: MAX_SECTION_CHARS,
      }),
      query(
        "offset",
        "Characters to leave out; `next_offset` of the answer before. Of HTML: of its Markdown.",
        {
          type: "integer",
          minimum: 0,
          default: 0,
        },
      ),
      query("limit", "Characters of `content` at most; it ends between paragraphs where it can.", {
        type: "integer",
        minimum: 1,
        maximum: MAX_CONTENT_CHARS,
        default: MAX_CONTENT_CHARS,
      }),
      query("include_usage", "Whether the answer says what it cost.", { type: "boolean", default: false }),
    ],
    answers: { 200: { description: "The page.", schema: ref("StoredPage") } },
    refusals: [404, 422, 432, 433],
    examples: [
      {
        summary: "A page as Markdown",
        query: { url: "https://example.com/pumps" },
        status: 200,
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
  {
    id: "readPage",
    method: "get",
    path: "/read/{url}",
    tag: "Stored pages",
    summary: "Read a page from the index by a prefix to its address",
    description: `In the forms of r.jina.ai: \`GET /read/https://example.com/a?b=c\`, with the address as it is or percent-encoded. \`Accept\` chooses \`text/plain\` (Markdown below a head of lines), \`text/markdown\`, \`text/html\` or \`application/json\`. ${cost}`,
    access: "key",
    parameters: [
      {
        name: "url",
        in: "path",
        required: true,
        description: "Address of the page, with its slashes and parameters.",
        schema: notBlank,
      },
    ],
    answers: {
      200: { description: "The page.", schema: { type: "string" }, type: "text/plain" },
    },
    refusals: [404, 422, 432, 433],
    examples: [{ summary: "A page", path: { url: "https://example.com/pumps" }, status: 200 }],
  },
  {
    id: "getThumbnail",
    method: "get",
    path: "/thumbnails",
    tag: "Stored pages",
    summary: "An image of a page, as a crawl saw it",
    description:
      "WebP of at most 320 pixels on a side, from the appliance's own store: nothing is asked of the image's site. Free.",
    access: "key",
    parameters: [
      query("page", "Address of the page.", notBlank, true),
      query("image", "Address of the image, as results list it.", notBlank, true),
    ],
    answers: {
      200: { description: "The thumbnail.", schema: { type: "string" }, type: "image/webp" },
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
  {
    id: "sources",
    method: "get",
    path: "/sources",
    tag: "Stored pages",
    summary: "What the index holds, source by source",
    description: "Free. As far as the key may see it.",
    access: "key",
    answers: { 200: { description: "The sources.", schema: ref("SourcesInIndex") } },
    examples: [{ summary: "The sources", status: 200 }],
  },
]
