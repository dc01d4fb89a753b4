import { PEER_STATES } from "../../../services/federation/peer.ts"
import { count, listOf, object, oneOf, orNull, text, time, yesNo } from "../../../server/operation/schemas.ts"

// What answers say of, and to, other appliances.

const share = { type: "number", minimum: 0, maximum: 1 }

export const peerReports = listOf(
  object(
    {
      name: text(),
      state: oneOf(
        PEER_STATES,
        "`late`: not within its time. `resting`: not asked, since it failed before and is not back.",
      ),
      results: count("Pages that it gave, before they were put among the others."),
    },
    { optional: { because: text("Why it gave none; goes on a sentence whose subject is the peer.") } },
  ),
  "The other appliances that were to be asked; not there when there was none.",
)

export const evidenceFacts = object(
  { version: count("Of what appliances tell each other."), reach: share, nowhere: share },
  { description: "With `include_evidence`." },
)

export const wordStatistics = object(
  {
    pages: count("Pages of the index."),
    words: listOf(object({ word: text("As the index keeps it."), pages: count("Pages that hold it.") })),
  },
  { description: "With `include_word_statistics`, for keys that reach all pages." },
)

export const pageEvidence = object(
  {
    words: share,
    best_passage: share,
    meaning: share,
    late: share,
    rerank: share,
    has_vectors: yesNo(),
    holds_phrases: yesNo("Whether it holds the phrases that the query quotes."),
    lacks_numbers: share,
    fingerprint: object({ exact: orNull(text()), similar: orNull(text()) }),
    passages: listOf(
      object(
        { text: text(), headings: listOf(text()), position: count("In the page, from 0.") },
        { optional: { shown: text(), anchor: text(), begins_under: text() } },
      ),
    ),
    description: orNull(text()),
    author: orNull(text()),
    published_at: orNull(time()),
    fetched_at: time(),
    topic: orNull(text()),
    country: orNull(text()),
    unsafe: yesNo(),
    is_listing: yesNo(),
    images: listOf(object({ url: text(), description: orNull(text()) })),
    favicon: orNull(text()),
  },
  { description: "With `include_evidence`: what another appliance ranks and shows the page by." },
)
