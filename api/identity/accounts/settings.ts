import { isStrong, STRONG } from "#base/secret.ts"
import { integer, onOff, type Setting, text } from "#base/settings.ts"

import { parseRateLimits, type RateLimits } from "./rates/rate-limits.ts"

const rateLimits: Setting<RateLimits> = {
  name: "FOSSICK_RATE_LIMITS",
  default: "",
  about:
    "Calls that each key may make, such as `search=100/m, usage=10/10m, *=1000/m`; empty means no limit. A key can have limits of its own.",
  parse: parseRateLimits,
}

const publicRateLimits: Setting<RateLimits> = {
  name: "FOSSICK_PUBLIC_RATE_LIMITS",
  default: "search=120/m, suggest=300/m",
  about:
    "Calls that each address may make with a public key, for `search` and `suggest`; empty means no limit. A public key can have limits of its own.",
  parse: parseRateLimits,
}

const humanIdSecret: Setting<string> = {
  ...text({
    name: "FOSSICK_HUMAN_ID_SECRET",
    default: "",
    about:
      "Secret used to hash the ids in `X-Human-Id`: at least 16 characters that are hard to guess; empty means one that is generated and stored in the data folder.",
    secret: true,
  }),
  parse(value) {
    if (value !== "" && !isStrong(value)) throw new Error(STRONG)
    return value
  },
}

const MOST_CREDITS = 1_000_000_000

/** Settings for keys, credits and logs. */
export const accountSettings = {
  planName: text({
    name: "FOSSICK_PLAN_NAME",
    default: "Self-hosted",
    about: "Name of the plan in `GET /usage`.",
  }),
  planCredits: integer(
    {
      name: "FOSSICK_PLAN_CREDITS",
      default: "0",
      about: "Credits that all keys together may use in a calendar month, in UTC; 0 means no limit.",
    },
    0,
    MOST_CREDITS,
  ),
  paygoCredits: integer(
    {
      name: "FOSSICK_PAYGO_CREDITS",
      default: "0",
      about:
        "Credits that all keys together may use in a month beyond FOSSICK_PLAN_CREDITS; needs that setting.",
    },
    0,
    MOST_CREDITS,
  ),
  rateLimits,
  publicRateLimits,
  searches: integer(
    {
      name: "FOSSICK_SEARCHES",
      default: "8",
      about: "Searches that run at the same time; the others wait, and keys take turns.",
    },
    1,
    256,
  ),
  logDays: integer(
    {
      name: "FOSSICK_LOG_DAYS",
      default: "90",
      about:
        "Days for which `POST /logs` lists calls, feedback is kept, and keys made over the API are kept after they end.",
    },
    1,
    3650,
  ),
  logMb: integer(
    {
      name: "FOSSICK_LOG_MB",
      default: "512",
      about:
        "Megabytes that the calls for `POST /logs` may take; beyond that, the oldest calls of the key with the most are deleted early.",
    },
    1,
    1_000_000,
  ),
  feedbackMb: integer(
    {
      name: "FOSSICK_FEEDBACK_MB",
      default: "64",
      about:
        "Megabytes that feedback may take, at most half of them for one key; beyond that, the oldest feedback of the key with the most is deleted early.",
    },
    1,
    1_000_000,
  ),
  keyStoredMb: integer(
    {
      name: "FOSSICK_KEY_STORED_MB",
      default: "512",
      about:
        "Megabytes that one key may store in total of data that is never deleted early: research, jobs of the Firecrawl API and their documents, watches and their entries. Beyond that, its next task or job is refused with 432, and its watches keep less.",
    },
    1,
    1_000_000,
  ),
  uncountedCalls: integer(
    {
      name: "FOSSICK_UNCOUNTED_CALLS",
      default: "10000",
      about:
        "Calls that can wait to be counted, a tenth of them for each key; further calls are refused with 503. While the disk is full, they wait in memory and are lost if the process ends; while the state server can't be reached, they wait on the disk.",
    },
    10,
    1_000_000,
  ),
  keysPerKey: integer(
    {
      name: "FOSSICK_KEYS_PER_KEY",
      default: "10000",
      about:
        "Keys that one key can make over the API, including keys that have ended but are still kept; further keys are refused.",
    },
    1,
    1_000_000,
  ),
  logQueries: onOff({
    name: "FOSSICK_LOG_QUERIES",
    default: "off",
    about: "Whether the text of questions is kept with the calls and written to the log.",
  }),
  queryLogDays: integer(
    {
      name: "FOSSICK_QUERY_LOG_DAYS",
      default: "0",
      about:
        "Days for which questions are kept for `GET /admin/queries`, with the ids of their keys; `0` keeps none.",
    },
    0,
    3650,
  ),
  auditDays: integer(
    {
      name: "FOSSICK_AUDIT_DAYS",
      default: "400",
      about:
        "Days for which the audit log keeps who changed what. At most 100,000 entries are kept, about 40 MB, and at most 20,000 for one key or user.",
    },
    1,
    3650,
  ),
  humanIdSecret,
}
