import { badRequest } from "../../../errors.ts"
import type { ReadQuestion } from "../../../services/watches/watch.ts"
import { bodyReader } from "../../../server/wire/validate.ts"
import { unknownFields } from "../../../server/wire/warnings.ts"
import { prepareSearch } from "../prepare.ts"
import { searchSchema } from "../schema.ts"

const readBody = bodyReader(searchSchema)

/** Watches store their questions as bodies of POST /search. */
export const readQuestion: ReadQuestion = async (search, limits, names) => {
  const [unknown] = unknownFields(searchSchema, search)
  if (unknown) throw badRequest(`Invalid question. ${unknown.text}`)
  const { request, question } = await prepareSearch(readBody(search), limits, names)
  if (question.freshness !== null) {
    throw badRequest("Invalid question. A watch follows what crawls find, so max_age_hours is not allowed.")
  }
  const { max_results: results } = request
  return { query: question.query, results: typeof results === "number" ? results : null }
}
