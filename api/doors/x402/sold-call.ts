import type { Context } from "../../context.ts"
import type { AskParts } from "../../core/ask/ask.ts"
import type { JsonSchema } from "../../server/schema/schemas.ts"

/** The call that is sold: a search, in the format of the API that describes and answers it. */
export interface SoldCall {
  readonly schema: {
    readonly required: readonly string[]
    readonly properties: Readonly<Record<"query" | "search_depth" | "max_results", JsonSchema>>
  }
  /**
   * Reads a body. Every request that this returns can be answered.
   * @throws ApiError 400 for an invalid body
   */
  read(body: Readonly<Record<string, unknown>>): Promise<SoldRequest>
}

export interface SoldRequest {
  /** A text that is the same for identical requests, whatever the order of their fields. */
  readonly identity: string
  /**
   * Answers the request.
   * @param stop ends the search early
   */
  answer(ctx: Context, parts: AskParts, stop: AbortSignal): Promise<object>
}
