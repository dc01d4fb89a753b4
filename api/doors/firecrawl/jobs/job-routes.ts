import { randomUUID } from "node:crypto"

import { toPageUrl } from "#engine"

import { type Context, type Middleware, originOf } from "../../../context.ts"
import { ApiError, badRequest } from "../../../errors.ts"
import { pathParameter, wholeNumber } from "../../../server/middleware/query-parameters.ts"
import { FieldReader } from "../../../server/wire/fields.ts"
import type { ChatModel } from "../../../services/chat-models/chat-model.ts"
import type { Version } from "../documents/formats.ts"
import { checkFormats } from "../scrape.ts"
import { type JobRequest, readBatch, readCrawl } from "./crawl-request.ts"
import type { SecretOf } from "../webhooks/follow-jobs.ts"
import { type JobRunner, KEPT_MS } from "./job-runner.ts"
import type { FirecrawlJob, JobStore } from "./job-store.ts"

export interface JobEndpointParts {
  readonly store: JobStore
  readonly runner: JobRunner
  readonly chatModel: ChatModel | null
  readonly secretOf: SecretOf
  /** The appliance's public address; empty to use the address the caller used. */
  readonly publicUrl: string
}

type Kind = JobRequest["kind"]

/** Path of each kind of job below the version. */
export const JOB_PATHS: Readonly<Record<Kind, string>> = { crawl: "crawl", batch: "batch/scrape" }

/** Maximum total length in characters of the documents in one answer, as with Firecrawl; a document is never split. */
const ANSWER_CHARS = 10_000_000
const MOST_DOCUMENTS = 1000

/** POST /v2/crawl, /v2/batch/scrape: starts a job in the background. */
export function startJob(kind: Kind, version: Version, parts: JobEndpointParts): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const { request, invalid } =
      kind === "crawl" ? { request: readCrawl(body, version), invalid: null } : readBatch(body, version)
    checkFormats(request.scrape, parts.chatModel)
    const { key, tracking, bill, reach } = ctx.state
    if (request.kind === "crawl") {
      await checkPatterns(request.includePaths, request.excludePaths)
      if (!(await reach.addresses())(request.url)) {
        throw new ApiError(403, "This key may not read that address.")
      }
    }
    const owner = { ...tracking, project: bill.project, keyId: key.id }
    const id = await begunOnce(onceOf(ctx), request, key, parts, (made, once) =>
      parts.runner.add(made, key, owner, request, once),
    )
    ctx.body = {
      success: true,
      id,
      url: addressOf(ctx, parts, version, kind, id),
      ...(request.webhook && { webhookSecret: parts.secretOf(key.id) }),
      ...(invalid !== null && { invalidURLs: invalid }),
    }
  }
}

const MAX_ONCE_CHARS = 255

/** The value of the header that lets a client repeat a request that got no answer; null if the header was not sent. */
function onceOf(ctx: Context): string | null {
  const given = ctx.get("x-idempotency-key")
  if (given === "") return null
  if (given.length <= MAX_ONCE_CHARS && /^[\x21-\x7e]+$/.test(given)) return given
  throw badRequest(
    `Invalid x-idempotency-key. Must have at most ${MAX_ONCE_CHARS} ASCII characters and no spaces.`,
  )
}

/**
 * Starts a job, or finds the one that the same request started under the same name.
 * @returns the id of the job
 * @throws ApiError 409 when the name belongs to another request
 */
async function begunOnce(
  once: string | null,
  request: JobRequest,
  key: { readonly id: string },
  { store }: Pick<JobEndpointParts, "store">,
  begin: (id: string, once: string | null) => Promise<boolean>,
): Promise<string> {
  const find = async () => (once === null ? null : await store.named(key.id, once))
  const id = randomUUID()
  const earlier = (await find()) ?? ((await begin(id, once)) ? null : await find())
  if (earlier === null) return id
  if (JSON.stringify(earlier.request) === JSON.stringify(request)) return earlier.id
  throw new ApiError(409, "Idempotency key already used for another request.")
}

/** GET /v2/crawl/{id}: the status of a job, and its documents in batches. */
export function jobStatus(version: Version, parts: JobEndpointParts): Middleware {
  return async (ctx) => {
    const { store } = parts
    const job = await jobOf(ctx, store)
    const skip = wholeNumber(ctx, "skip", 0, 0, Number.MAX_SAFE_INTEGER)
    const limit = wholeNumber(ctx, "limit", MOST_DOCUMENTS, 1, MOST_DOCUMENTS)
    const { key } = ctx.state
    // The key might be allowed to see less now than when the job ran.
    const admits = await ctx.state.reach.addresses()
    const data: unknown[] = []
    let [passed, chars, hasMore] = [0, 0, false]
    for await (const { url, text } of store.documents(job.id, skip)) {
      hasMore = passed === limit || (passed > 0 && chars + text.length > ANSWER_CHARS)
      if (hasMore) break
      passed += 1
      const address = toPageUrl(url)
      if (key.role !== "admin" && (address === null || !admits(address))) continue
      chars += text.length
      data.push(JSON.parse(text))
    }
    ctx.set("Cache-Control", "no-store")
    ctx.body = {
      ...summaryOf(job),
      ...(job.error !== null && { error: job.error, warning: job.error }),
      ...(hasMore && {
        next: `${addressOf(ctx, parts, version, job.request.kind, job.id)}?skip=${skip + passed}${ctx.query["limit"] === undefined ? "" : `&limit=${limit}`}`,
      }),
      data,
    }
  }
}

/** The status of a job, without its documents. */
export const summaryOf = (job: FirecrawlJob) => ({
  success: true,
  status: job.state === "waiting" ? "scraping" : job.state,
  completed: job.completed,
  total: job.request.kind === "batch" ? job.request.addresses.length : job.tried,
  creditsUsed: job.credits,
  expiresAt: new Date((job.endedAt ?? new Date()).getTime() + KEPT_MS).toISOString(),
})

/** DELETE /v2/crawl/{id}: ends a job; its documents stay. */
export function cancelJob({ store, runner }: JobEndpointParts): Middleware {
  return async (ctx) => {
    const job = await jobOf(ctx, store)
    if (job.endedAt !== null) throw new ApiError(409, "The job has already ended.")
    await runner.cancel(job)
    ctx.body = { success: true, status: "cancelled", message: "The job was cancelled." }
  }
}

/** GET /v2/crawl/{id}/errors: the pages that a job could not read. */
export function jobErrors({ store }: JobEndpointParts): Middleware {
  return async (ctx) => {
    const failures = await store.failures((await jobOf(ctx, store)).id)
    const admits = await ctx.state.reach.addresses()
    const seen = failures.filter(({ url }) => {
      const address = toPageUrl(url)
      return address === null || admits(address)
    })
    ctx.body = {
      success: true,
      errors: seen
        .filter(({ isRobots }) => !isRobots)
        .map(({ id, url, code, error, at }) => ({ id, timestamp: at.toISOString(), url, code, error })),
      robotsBlocked: seen.filter(({ isRobots }) => isRobots).map(({ url }) => url),
    }
  }
}

/** GET /v2/crawl/active: the crawls of a key that have not ended. */
export function activeCrawls({ store }: JobEndpointParts): Middleware {
  return async (ctx) => {
    const { key } = ctx.state
    ctx.body = {
      success: true,
      crawls: (await store.open(key.id)).flatMap(({ id, createdAt, request }) =>
        request.kind === "crawl"
          ? [
              {
                id,
                teamId: key.id,
                url: request.given,
                created_at: createdAt.toISOString(),
                options: optionsOf(request),
              },
            ]
          : [],
      ),
    }
  }
}

const optionsOf = ({
  limit,
  maxDepth,
  includePaths,
  excludePaths,
}: Extract<JobRequest, { kind: "crawl" }>) => ({
  limit,
  maxDiscoveryDepth: maxDepth,
  includePaths,
  excludePaths,
})

/** The job in the path, whatever its kind: clients of the first version look for their batches among the crawls. */
export async function jobOf(ctx: Context, store: JobStore): Promise<FirecrawlJob> {
  const job = await store.get(pathParameter(ctx, "id"))
  // Other callers get the same answer as for a job that doesn't exist.
  const isOwn = job !== null && (job.owner.keyId === ctx.state.key.id || ctx.state.key.role === "admin")
  if (job === null || !isOwn) throw new ApiError(404, "Job not found")
  return job
}

const addressOf = (
  ctx: Context,
  { publicUrl }: JobEndpointParts,
  version: Version,
  kind: Kind,
  id: string,
): string => `${originOf(ctx, publicUrl)}/v${version}/${JOB_PATHS[kind]}/${id}`

async function checkPatterns(include: readonly string[], exclude: readonly string[]): Promise<void> {
  const { anyPattern, PatternError } = await import("#crawler/crawl/scope/patterns.ts")
  for (const [field, patterns] of [
    ["includePaths", include],
    ["excludePaths", exclude],
  ] as const) {
    try {
      anyPattern(field === "includePaths" ? "selectPaths" : "excludePaths", patterns)
    } catch (error) {
      if (error instanceof PatternError) throw badRequest(`Invalid ${field}. ${error.message}`)
      throw error
    }
  }
}
