import type { Accounts } from "../../identity/accounts/accounts.ts"
import { type Endpoint, ENDPOINTS } from "../../identity/accounts/keys/key-scope.ts"
import type { Used } from "../../identity/accounts/billing/credit-ledger.ts"
import type { Middleware } from "../../context.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { UsageReport } from "./described/account-operations.ts"

/** GET /usage: credits used by this key and by all keys, limited to one project if the header names one. */
export function usage({ ledger }: Pick<Accounts, "ledger">): Middleware {
  return async (ctx) => {
    const { key, tracking } = ctx.state
    const project = tracking.project === "" ? null : tracking.project
    const { plan } = ledger
    const account = await ledger.ofAccount(project)
    const ofKey = await ledger.ofKey(key, project)
    const ofPlan = plan.credits === null ? account.all : Math.min(account.all, plan.credits)
    ctx.body = {
      key: { usage: ofKey.all, limit: key.creditLimit?.credits ?? null, ...byEndpoint(ofKey) },
      account: {
        current_plan: plan.name,
        plan_usage: ofPlan,
        plan_limit: plan.credits,
        paygo_usage: account.all - ofPlan,
        paygo_limit: plan.paygo,
        ...byEndpoint(account),
      },
    } satisfies Of<typeof UsageReport>
  }
}

const byEndpoint = ({ byEndpoint: used }: Used) =>
  Object.fromEntries(ENDPOINTS.map((endpoint) => [`${endpoint}_usage`, used[endpoint] ?? 0])) as Record<
    `${Endpoint}_usage`,
    number
  >
