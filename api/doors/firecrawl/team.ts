import type { Ledger } from "../../identity/accounts/billing/credit-ledger.ts"
import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Middleware } from "../../context.ts"
import type { Version } from "./documents/formats.ts"
import { CONCURRENT } from "./jobs/job-runner.ts"
import type { JobStore } from "./jobs/job-store.ts"

// Firecrawl's information about a team; here, about a key.

/** The number of credits when there is no limit, as in self-hosted Firecrawl: its clients require a number. */
const UNLIMITED = 99_999_999

/** GET /v2/team/credit-usage: the key's remaining credits, and when the period ends. */
export function creditUsage(ledger: Ledger, version: Version): Middleware {
  return async (ctx) => {
    const { key } = ctx.state
    const { credits: ofPlan, paygo } = ledger.plan
    const left = Math.min(
      await ledger.left(key),
      ofPlan === null ? Infinity : ofPlan + paygo - (await ledger.ofAccount(null)).all,
    )
    const isMonthly = key.creditLimit === null ? ofPlan !== null : key.creditLimit.per === "month"
    const { start, end } = monthAround(new Date())
    const remaining = Math.max(0, Math.min(left, UNLIMITED))
    const plan = key.creditLimit?.credits ?? ofPlan ?? UNLIMITED
    const period = isMonthly
      ? { start: start.toISOString(), end: end.toISOString() }
      : { start: null, end: null }
    ctx.body = {
      success: true,
      data:
        version === 1
          ? {
              remaining_credits: remaining,
              plan_credits: plan,
              billing_period_start: period.start,
              billing_period_end: period.end,
            }
          : {
              remainingCredits: remaining,
              planCredits: plan,
              billingPeriodStart: period.start,
              billingPeriodEnd: period.end,
            },
    }
  }
}

/** GET /v2/team/credit-usage/historical: the key's usage by month (UTC), newest first. */
export function creditHistory(ledger: Ledger): Middleware {
  return async (ctx) => {
    const { key } = ctx.state
    const byKey = ctx.query["byApiKey"] === "true"
    ctx.body = {
      success: true,
      periods: (await ledger.monthsOf(key.id)).map(({ month, credits }) => {
        const { start, end } = monthAround(new Date(`${month}-01T00:00:00Z`))
        return {
          startDate: start.toISOString(),
          endDate: end.toISOString(),
          ...(byKey && { apiKey: nameOf(key) }),
          creditsUsed: credits,
        }
      }),
    }
  }
}

/** GET /v2/team/queue-status: the key's jobs. */
export function queueStatus(store: JobStore): Middleware {
  return async (ctx) => {
    const { waiting, active, lastSuccess } = await store.queueOf(ctx.state.key.id)
    ctx.body = {
      success: true,
      jobsInQueue: waiting + active,
      activeJobsInQueue: active,
      waitingJobsInQueue: waiting,
      maxConcurrency: CONCURRENT,
      mostRecentSuccess: lastSuccess?.toISOString() ?? null,
    }
  }
}

/** GET /v2/concurrency-check: the key's active jobs, and the maximum number for all keys. */
export function concurrencyCheck(store: JobStore): Middleware {
  return async (ctx) => {
    const { active: concurrency } = await store.queueOf(ctx.state.key.id)
    ctx.body = { success: true, concurrency, maxConcurrency: CONCURRENT }
  }
}

const nameOf = ({ id, hint }: ApiKey): string => (hint === "" ? id : `…${hint}`)

function monthAround(at: Date): { readonly start: Date; readonly end: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
}
