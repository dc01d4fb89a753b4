import { randomUUID } from "node:crypto"

import { Refusal } from "#base/errors.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import { type Middleware, responseTime } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { type FeedbackRequest, feedbackSchema } from "./schema.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { FeedbackTaken } from "./described/account-operations.ts"

/** POST /feedback: a user's opinion on an answer, kept for the operator. Free. */
export function feedback({ feedback: store, writes }: Pick<Accounts, "feedback" | "writes">): Middleware {
  const read = bodyReader(feedbackSchema)
  return async (ctx) => {
    const {
      request_id: requestId = "",
      session_id: sessionId = "",
      ...fields
    } = checked(ctx.state.body, read)
    if (requestId === "" && sessionId === "") {
      throw badRequest("Either session_id or request_id is required.")
    }
    const id = randomUUID()
    const keyId = ctx.state.key.id
    await writes.run(() => store.add({ id, at: Date.now(), keyId, requestId, sessionId, fields }))
    ctx.body = {
      success: true,
      feedback_id: id,
      response_time: responseTime(ctx),
      ...presentWarnings(unknownFields(feedbackSchema, ctx.state.body)),
    } satisfies Of<typeof FeedbackTaken>
  }
}

/** The contract's 422 response, with the problems in addition to its text. */
function checked(
  body: Readonly<Record<string, unknown>>,
  read: (body: Readonly<Record<string, unknown>>) => FeedbackRequest,
): FeedbackRequest {
  try {
    return read(body)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ApiError(422, "Validation error in request body.", { problems: [error.message] })
  }
}
