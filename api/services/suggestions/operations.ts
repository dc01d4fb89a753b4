import { PUBLIC_PREFIX } from "../../identity/accounts/public-keys/public-key.ts"
import { DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS, MAX_TYPED_CHARS } from "./suggest.ts"
import { ok, operations } from "../../server/operation/operation.ts"
import { filled, requestId, responseTime } from "../../server/operation/shared-fields.ts"
import {
  anyOf,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  text,
  whole,
  withDefault,
} from "../../server/schema/schemas.ts"

const Suggestions = namedObject("Suggestions", {
  suggestions: listOf(
    object({
      text: text("The title or heading, as on the page."),
      kind: oneOf(["title", "heading"]),
      url: text("Its address."),
    }),
    "Best first: texts that begin with the words, then texts that contain all of them.",
  ),
  response_time: responseTime,
  request_id: requestId,
  ...optional({
    questions: listOf(
      text(),
      "Questions that several keys with the same reach have asked, if the operator stores questions; omitted if there are none.",
    ),
  }),
})

const typed = {
  q: filled("What has been typed so far; without a letter or digit, nothing is suggested.", {
    maxLength: MAX_TYPED_CHARS,
  }),
  limit: withDefault(whole(1, MAX_SUGGESTIONS, "How many suggestions to return."), DEFAULT_SUGGESTIONS),
  source: filled("Only from pages of this source."),
  collection: filled("Only from pages of the sources in this collection."),
}
const publicKey = text(
  "A public key, instead of the header `Authorization`; send any other key in the header.",
  { pattern: `^${PUBLIC_PREFIX}` },
)

/** The request that a search box sends for each letter typed. */
export const suggestionOperations = operations("Search", "key", {
  suggest: {
    at: "GET /suggest",
    summary: "Suggest titles and headings as a user types",
    description:
      "Titles and headings of the pages that the key may see, by the beginnings of their words. Takes a millisecond or two. For keys that may search. Free.",
    query: { ...typed, key: publicKey },
    needs: ["q"],
    answers: ok(Suggestions, "The suggestions."),
    examples: [
      {
        summary: "After three letters",
        query: { q: "pum" },
        answer: {
          suggestions: [{ text: "Pumps", kind: "title", url: "https://example.com/pumps" }],
          response_time: 0.001,
          request_id: "4b0b5f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
        },
      },
      { summary: "Nothing typed", status: 400 },
    ],
  },
  browserSuggest: {
    at: "GET /suggest/opensearch",
    summary: "Suggest in the format of browsers",
    description:
      "Like `/suggest`, in the format of OpenSearch suggestions: what was typed, and a list of texts. Browsers call it for their address bar, without key or cookie, so it only works where people don't need to sign in.",
    query: typed,
    needs: ["q"],
    answers: {
      200: {
        description: "What was typed, and the suggestions.",
        schema: listOf(anyOf([text(), listOf(text())])),
        type: "application/x-suggestions+json",
      },
    },
    examples: [{ summary: "After three letters", query: { q: "pum" } }],
  },
})
