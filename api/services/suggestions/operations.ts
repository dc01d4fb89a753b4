import { PUBLIC_PREFIX } from "../../identity/accounts/public-keys/public-key.ts"
import { DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS, MAX_TYPED_CHARS } from "./suggest.ts"
import { NOT_BLANK } from "../../server/wire/validate.ts"
import { type Operation, query } from "../../server/operation/operation.ts"
import { listOf, object, oneOf, ref, text } from "../../server/operation/schemas.ts"

export const suggestionSchemas = {
  Suggestions: object(
    {
      suggestions: listOf(
        object({
          text: text("The title or heading, as it stands on the page."),
          kind: oneOf(["title", "heading"]),
          url: text("Where it stands."),
        }),
        "Best first: what begins with the words, then what holds all of them.",
      ),
      response_time: { type: "number", minimum: 0, description: "Seconds." },
      request_id: { type: "string", format: "uuid", description: "Also in the header `X-Request-Id`." },
    },
    {
      optional: {
        questions: listOf(
          text(),
          "Questions that several keys of the same reach have asked, where the operator has them kept; not there when there is none.",
        ),
      },
    },
  ),
}

const parameters: NonNullable<Operation["parameters"]> = [
  query(
    "q",
    "What has been typed so far; without a letter or digit nothing is suggested.",
    { type: "string", pattern: NOT_BLANK, maxLength: MAX_TYPED_CHARS },
    true,
  ),
  query("limit", "Suggestions at most.", {
    type: "integer",
    minimum: 1,
    maximum: MAX_SUGGESTIONS,
    default: DEFAULT_SUGGESTIONS,
  }),
  query("source", "Of pages of this source only.", { type: "string", pattern: NOT_BLANK }),
  query("collection", "Of pages of the sources in this collection only.", {
    type: "string",
    pattern: NOT_BLANK,
  }),
]

const publicKey = query(
  "key",
  "A public key, instead of the header `Authorization`; any other key comes in the header.",
  { type: "string", pattern: `^${PUBLIC_PREFIX}` },
)

/** What a search box asks with each letter. */
export const suggestionOperations: readonly Operation[] = [
  {
    id: "suggest",
    method: "get",
    path: "/suggest",
    tag: "Search",
    summary: "Suggest titles and headings as somebody types",
    description:
      "Titles and headings of the pages that the key may see, by the beginnings of their words. Free; takes a millisecond or two. For keys that may search.",
    access: "key",
    parameters: [...parameters, publicKey],
    answers: { 200: { description: "The suggestions.", schema: ref("Suggestions") } },
    examples: [
      {
        summary: "After three letters",
        query: { q: "pum" },
        status: 200,
        answer: {
          suggestions: [{ text: "Pumps", kind: "title", url: "https://example.com/pumps" }],
          response_time: 0.001,
          request_id: "4b0b5f3e-5a0f-4d0c-9d0e-6a1a1a5f8f7e",
        },
      },
      { summary: "Nothing typed", status: 400 },
    ],
  },
  {
    id: "browserSuggest",
    method: "get",
    path: "/suggest/opensearch",
    tag: "Search",
    summary: "Suggest in the form that browsers know",
    description:
      "As `/suggest`, in the form of OpenSearch's suggestions: what was typed, and a list of texts. Browsers ask it for their address bar, without key or cookie, so it answers them where people need not sign in.",
    access: "key",
    parameters,
    answers: {
      200: {
        description: "What was typed, and the suggestions.",
        schema: {
          type: "array",
          items: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        },
        type: "application/x-suggestions+json",
      },
    },
    examples: [{ summary: "After three letters", query: { q: "pum" }, status: 200 }],
  },
]
