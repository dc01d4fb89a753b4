import { anyOf, type JsonSchema, listOf, object, optional, ref, text } from "../schema/schemas.ts"

/** An unsuccessful answer. */
interface Refusal {
  /** Name in `#/components/responses`. */
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  readonly headers?: Readonly<Record<string, unknown>>
}

export const refusalSchemas = {
  Error: object({
    detail: object({
      error: text("What is wrong, in words: the field, and what is allowed."),
      ...optional({
        problems: listOf(
          anyOf([
            object({
              field: text("The field, such as `limits.pages`; empty for the whole body."),
              message: text(),
            }),
            text("For feedback: all problems in one text."),
          ]),
          "With 422: every field that is wrong.",
        ),
        failed_results: listOf(ref("FailedResult"), "With 400 for an extraction: every address."),
        miss: ref("Miss"),
      }),
    }),
  }),
}

const header = (description: string, schema: JsonSchema) => ({ description, schema })
const refusal = (
  name: string,
  description: string,
  headers: Readonly<Record<string, unknown>> = {},
): Refusal => ({ name, description, schema: ref("Error"), headers })

/** Refusals by status. */
export const refusals: Readonly<Record<number, Refusal>> = {
  400: refusal("BadRequest", "A value is wrong or missing, or the request is not valid HTTP."),
  401: refusal("Unauthorized", "The key is missing or not valid.", {
    "WWW-Authenticate": header("`Bearer`", { type: "string" }),
  }),
  403: refusal("Forbidden", "The key may not do this, or the address may not be read."),
  404: refusal("NotFound", "Not found."),
  405: refusal("MethodNotAllowed", "The path does not support this method.", {
    Allow: header("The methods that it supports.", { type: "string" }),
  }),
  408: refusal("RequestTimeout", "The whole request did not arrive in time."),
  409: refusal("Conflict", "Not possible in the current state."),
  413: refusal("ContentTooLarge", "The body is larger than `FOSSICK_BODY_LIMIT`."),
  415: refusal("UnsupportedMediaType", "The body is not JSON, or its compression is not supported."),
  417: refusal("ExpectationFailed", "The header `Expect` asks for something other than `100-continue`."),
  422: refusal("UnprocessableContent", "Fields of the body are wrong; `detail.problems` lists each."),
  429: refusal("TooManyRequests", "Too many requests; try again after the seconds in `Retry-After`.", {
    "Retry-After": header("Seconds.", { type: "integer", minimum: 0 }),
  }),
  431: refusal("HeadersTooLarge", "The headers are larger than 16 KiB."),
  432: refusal(
    "PlanLimitExceeded",
    "The credits of the key or its plan are used up, or there is no room to store another research task, crawl job or watch.",
  ),
  433: refusal("PayAsYouGoLimitExceeded", "The credits beyond the plan are used up."),
  500: refusal("InternalServerError", "An internal error; see the server's log."),
  503: refusal(
    "ServiceUnavailable",
    "The index or the model cannot be used right now, or there is no room in the memory for calls or on the disk. `Retry-After`, if given, says when to try again.",
    { "Retry-After": header("Seconds.", { type: "integer", minimum: 0 }) },
  ),
}
