import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { CallEntry } from "../../identity/accounts/call-log.ts"
import { type Endpoint, ENDPOINTS } from "../../identity/accounts/keys/key-scope.ts"
import { type Middleware, responseTime } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import { dateWindow } from "../../server/wire/dates.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { type LogsRequest, logsSchema } from "./schema.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { CallLog } from "./described/account-operations.ts"

/** The endpoints listed in the contract. */
const LISTED: readonly Endpoint[] = ["search", "extract", "map", "crawl", "research"]

/** POST /logs: answered calls, newest first; never questions or results. */
export function logs({ callLog }: Pick<Accounts, "callLog">): Middleware {
  const read = bodyReader(logsSchema)
  return async (ctx) => {
    const { key } = ctx.state
    const request = read(ctx.state.body)
    const { start_date, end_date } = request
    const window = dateWindow({ start_date, end_date }, new Date())
    const isOwn = request.filter_by_api_key || key.role !== "admin"
    const entries = await callLog.list({
      limit: request.limit,
      from: window.from?.getTime(),
      before: window.before?.getTime(),
      endpoints: endpointsOf(request),
      project: request.project_id,
      keyId: isOwn ? key.id : undefined,
    })
    ctx.body = {
      logs: entries.map(onWire),
      count: entries.length,
      ...presentWarnings(unknownFields(logsSchema, ctx.state.body)),
      response_time: responseTime(ctx),
      request_id: ctx.state.requestId,
    } satisfies Of<typeof CallLog>
  }
}

function endpointsOf({ endpoints = [] }: LogsRequest): readonly Endpoint[] | undefined {
  const given = typeof endpoints === "string" ? [endpoints] : endpoints
  const wrong = given.filter((one) => !ENDPOINTS.includes(one as Endpoint))
  if (wrong.length > 0) {
    const named = wrong.join(", ").slice(0, 200)
    throw badRequest(`Invalid endpoints: ${named}. Valid endpoints are: ${LISTED.join(", ")}`)
  }
  return given.length === 0 ? undefined : (given as readonly Endpoint[])
}

const onWire = (entry: CallEntry) => ({
  // Six fractional digits and an offset, as clients of the contract's format expect.
  timestamp: new Date(entry.at).toISOString().replace("Z", "000+00:00"),
  endpoint: entry.endpoint,
  depth: entry.depth,
  response_time: entry.seconds,
  credits: entry.credits,
  api_key: `****${entry.keyHint}`,
  request_id: entry.requestId,
  ...(entry.person !== undefined && { person: entry.person }),
})
