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
      url: text("Where it stands."),
    }),
    "Best first: texts that begin with the words, then texts that hold all of them.",
  ),
  response_time: responseTime,
  request_id: requestId,
  ...optional({
    questions: listOf(
      text(),
      "Questions that several keys with the same reach have asked, if the operator keeps questions; left out when there are none.",
    ),
  }),
})

const typed = {
  q: filled("What has been typed so far; without a letter or digit nothing is suggested.", {
    maxLength: MAX_TYPED_CHARS,
  }),
  limit: withDefault(whole(1, MAX_SUGGESTIONS, "Suggestions at most."), DEFAULT_SUGGESTIONS),
  source: filled("Only from pages of this source."),
  collection: filled("Only from pages of the sources in this collection."),
}
const publicKey = text(
  "A public key, instead of the header `Authorization`; any other key comes in the header.",
  { pattern: `^${PUBLIC_PREFIX}` },
)

/** The request of a search box for each letter. */
export const suggestionOperations = operations("Search", "key", {
  suggest: {
    at: "GET /suggest",
    summary: "Suggest titles and headings as somebody types",
    description:
      "Titles and headings of the pages that the key may see, by the beginnings of their words. Free; takes a millisecond or two. For keys that may search.",
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
    summary: "Suggest in the form that browsers know",
    description:
      "As `/suggest`, in the form of OpenSearch's suggestions: what was typed, and a list of texts. Browsers ask it for their address bar, without key or cookie, so it answers them where people need not sign in.",
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
