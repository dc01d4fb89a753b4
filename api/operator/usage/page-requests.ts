import { toPageUrl } from "#engine"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import { type Middleware, responseTime } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { pageRequestSchema } from "./schema.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { PageRequestTaken } from "./described/account-operations.ts"

/** POST /page-requests: asks the operator for a page that the index lacks. Free; the page is not fetched. */
export function requestPage({
  pageRequests: store,
  writes,
}: Pick<Accounts, "pageRequests" | "writes">): Middleware {
  const read = bodyReader(pageRequestSchema)
  return async (ctx) => {
    const { url: given = "", query = "", comment = "" } = read(ctx.state.body)
    const question = plain(query)
    const url = given === "" ? "" : toPageUrl(given)
    if (url === null) throw badRequest("Invalid url. Must be an http or https address.")
    if (url === "" && question === "") throw badRequest("Either url or query is required.")
    const keyId = ctx.state.key.id
    const entry = { at: Date.now(), keyId, url, question, comment: plain(comment) }
    const id = await writes.run(() => store.add(entry))
    ctx.body = {
      success: true,
      id,
      response_time: responseTime(ctx),
      ...presentWarnings(unknownFields(pageRequestSchema, ctx.state.body)),
    } satisfies Of<typeof PageRequestTaken>
  }
}

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim()
