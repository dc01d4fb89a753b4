import { ENDPOINTS, MAX_ENTRIES, MAX_NAME_CHARS } from "../../identity/accounts/keys/key-scope.ts"
import type { BodySchema } from "../../server/wire/body-schema.ts"
import { NOT_BLANK } from "../../server/wire/validate.ts"

// What the calls on single keys check, and what /openapi.json shows.

const KEY_ROLES = ["search", "admin"] as const
const PERIODS = ["month", "total"] as const
const MAX_KEY_NAME_CHARS = 100
const MOST_CREDITS = 1_000_000_000
const MOST_PROJECTS = 100
const MAX_PROJECT_CHARS = 200
const MAX_RATES_CHARS = 500
/** Both keys of a change are accepted for a week at most: it is there for programs that are told of the new one later. */
export const MOST_OVERLAP_HOURS = 168

export interface MakeKeyBody {
  readonly role?: (typeof KEY_ROLES)[number]
  readonly name?: string
  readonly expires_at?: string
  readonly credits?: number
  readonly per?: (typeof PERIODS)[number]
  readonly rate_limits?: string
  readonly may_make_keys?: boolean
  readonly endpoints?: readonly string[]
  readonly sources?: readonly string[]
  readonly collections?: readonly string[]
  readonly domains?: readonly string[]
  readonly projects?: readonly string[]
}

const names = (description: string, items: object, maxItems: number) => ({
  type: "array",
  minItems: 1,
  maxItems,
  items: { type: "string", pattern: NOT_BLANK, ...items },
  description,
})

export const makeKeyBody: BodySchema<MakeKeyBody> = {
  properties: {
    role: { type: "string", enum: KEY_ROLES, default: "search", description: "What it may do." },
    name: { type: "string", maxLength: MAX_KEY_NAME_CHARS, description: "Whom or what it is for." },
    expires_at: {
      type: "string",
      description: "When it ends: a time to come, such as `2027-01-31T00:00:00Z`; left out: never.",
    },
    credits: {
      type: "integer",
      minimum: 0,
      maximum: MOST_CREDITS,
      description: "Credits that it may use; left out: as many as there are.",
    },
    per: { type: "string", enum: PERIODS, default: "month", description: "In what time." },
    rate_limits: {
      type: "string",
      maxLength: MAX_RATES_CHARS,
      description: "Such as `search=100/m`, instead of those of the settings.",
    },
    may_make_keys: { type: "boolean", description: "Whether it may make keys that may do no more than it." },
    endpoints: names("It may call these alone.", { enum: ENDPOINTS }, MAX_ENTRIES),
    sources: names("It sees pages of these sources.", { maxLength: MAX_NAME_CHARS }, MAX_ENTRIES),
    collections: names("It sees pages of these collections.", { maxLength: MAX_NAME_CHARS }, MAX_ENTRIES),
    domains: names("It sees pages on these domains alone.", {}, MAX_ENTRIES),
    projects: names("Projects that it may name.", { maxLength: MAX_PROJECT_CHARS }, MOST_PROJECTS),
  },
}

/** Of calls that take no body, or an empty object. */
export const noKeyFields: BodySchema<Record<string, never>> = { properties: {} }

export const rotateKeyBody: BodySchema<{ readonly overlap_hours?: number }> = {
  properties: {
    overlap_hours: {
      type: "integer",
      minimum: 0,
      maximum: MOST_OVERLAP_HOURS,
      default: 0,
      description: "Hours for which the old key is accepted, too.",
    },
  },
}
