import type { Context } from "../../context.ts"
import type { AskParts } from "../../core/ask/ask.ts"
import type { JsonSchema } from "../../server/schema/schemas.ts"

/** What is sold: a search, in the words of the API that describes and answers it. */
export interface SoldCall {
  readonly schema: {
    readonly required: readonly string[]
    readonly properties: Readonly<Record<"query" | "search_depth" | "max_results", JsonSchema>>
  }
  /** Reads a body. What it returns can be answered. @throws ApiError 400 for a wrong one */
  read(body: Readonly<Record<string, unknown>>): Promise<SoldRequest>
}

export interface SoldRequest {
  /** The same for the same request, in whatever order its fields came. */
  readonly identity: string
  /** @param stop ends the search early */
  answer(ctx: Context, parts: AskParts, stop: AbortSignal): Promise<object>
}
