import { rateLimitsText } from "../rates/rate-limits.ts"
import type { MadeKey } from "./keys.ts"

/** A key as `fossick keys list --json` and the admin API show it. */
export const keyOnWire = (key: MadeKey) => ({
  id: key.id,
  role: key.role,
  name: key.name,
  ends_with: key.hint,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  disabled_at: key.disabledAt,
  may_make_keys: key.mayMakeKeys,
  made_by: key.madeBy,
  credit_limit: key.creditLimit?.credits ?? null,
  limit_per: key.creditLimit?.per ?? null,
  rate_limits: key.rateLimits && rateLimitsText(key.rateLimits),
  endpoints: key.scope.endpoints,
  sources: key.scope.sources,
  collections: key.scope.collections,
  domains: key.scope.domains,
  principals: key.principals,
  acts_for_people: key.actsForPeople,
  projects: key.projects,
})
