import type { AnswerOf } from "../../api/client/client.ts"

export type DegradedPart = NonNullable<AnswerOf<"POST /search">["degraded"]>[number]

/** The parts that were missing when an answer was made, and what that means for its reader. */
const WORDS: Readonly<Record<DegradedPart, string>> = {
  index: "the index is being rebuilt",
  meaning: "pages were found by their words alone",
  order: "the order of similar pages is less exact",
  reranker: "the order of the pages is less exact",
  pages: "long pages were read only in part",
  state: "some details of the pages are missing",
  peers: "another appliance did not answer",
  answer_meaning: "the answer was chosen by its words alone",
  answer_reranker: "the answer was chosen less carefully",
  language_model: "the answer quotes the pages instead of summarizing them",
  coverage: "it is not known whether anything is missing",
}

/** A note for readers; null if the answer is complete. */
export const degradedNote = (parts: readonly DegradedPart[]): string | null =>
  parts.length === 0
    ? null
    : `The appliance is busy or partly unavailable: ${parts.map((part) => WORDS[part]).join(", ")}. Search again later for a complete answer.`
