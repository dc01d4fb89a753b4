import type { Visiting } from "#crawler/job.ts"
import type { RemovalState } from "#crawler/upkeep/removals/removals.ts"
import type { DeliveryState } from "#base/work/retries.ts"

import type { BodySchema } from "../../server/wire/body-schema.ts"

// What the calls of the admin API check and what /openapi.json shows. A source has the schema of the file of sources
// (crawler/sources/sources.schema.json). Nothing is imported here but types: the handbook shows this, too, and needs
// nothing else of the admin API.

/** Lines of a job's log, and failures of it, that one answer may hold. */
export const MAX_LINES = 500
export const MAX_NEXT_RUNS = 100
/** Characters of the query whose ranks are asked for. */
export const MAX_QUERY_CHARS = 4000
const MAX_URLS = 1000

export const REMOVAL_STATES: readonly RemovalState[] = ["struck", "held", "approved", "removed", "restoring"]
export const DELIVERY_STATES: readonly DeliveryState[] = ["waiting", "delivered", "given-up"]

/** Where a list of addresses goes on: an outcome, a blank, an address. */
export const ADDRESS_CURSOR = "^[a-z0-9:-]+ https?://"

export interface TryBody {
  readonly url: string
  readonly source?: string
  readonly rendering?: "http" | "browser" | "auto"
}

export const tryBody: BodySchema<TryBody> = {
  required: ["url"],
  properties: {
    url: { type: "string", description: "The page to read, an http or https address." },
    source: { type: "string", description: "The source with whose settings it is read." },
    rendering: {
      type: "string",
      enum: ["http", "browser", "auto"],
      description: "Instead of what the source says.",
    },
  },
}

export interface NetworkLookBody {
  readonly url: string
}

export const networkLookBody: BodySchema<NetworkLookBody> = {
  required: ["url"],
  properties: {
    url: { type: "string", description: "Where a crawl is to start, an http or https address." },
  },
}

export interface NetworkBody {
  readonly url: string
  readonly network: string
  readonly confirmed: boolean
}

export const networkBody: BodySchema<NetworkBody> = {
  required: ["url", "network", "confirmed"],
  properties: {
    url: networkLookBody.properties.url,
    network: {
      type: "string",
      description: "The address as a network (`10.20.30.7/32`), or the network it is in (`10.20.30.0/24`).",
    },
    confirmed: { type: "boolean", enum: [true], description: "Must be true: somebody decided this." },
  },
}

export interface ProposeBody {
  readonly url: string
  readonly ignore_robots?: boolean
}

export const proposeBody: BodySchema<ProposeBody> = {
  required: ["url"],
  properties: {
    url: {
      type: "string",
      description: "Where to start, an http or https address; a folder stands for what is below it.",
    },
    ignore_robots: {
      type: "boolean",
      default: false,
      description:
        "The site is yours: read what robots.txt forbids, and propose to do so. Only for hosts that FOSSICK_OWN_HOSTS or FOSSICK_ALLOWED_NETWORKS names.",
    },
  },
}

/** Checked as a source is, with all that is wrong, and not by this schema. */
export const draftBody: BodySchema<{ readonly source: Readonly<Record<string, unknown>> }> = {
  required: ["source"],
  properties: {
    source: {
      type: "object",
      required: [],
      description: "As in the file of sources, with its name; wrong values are told, not refused.",
    },
  },
}

export const removalsBody: BodySchema<{ readonly source: string }> = {
  required: ["source"],
  properties: { source: { type: "string", description: "Whose removals." } },
}

export const recrawlBody: BodySchema<{ readonly url: string }> = {
  required: ["url"],
  properties: { url: { type: "string", description: "A page that a declared source has met." } },
}

export const skipHostBody: BodySchema<{ readonly host: string }> = {
  required: ["host"],
  properties: {
    host: { type: "string", description: "Name of the host, with its port if that is not the usual one." },
  },
}

export interface RestoreBody {
  readonly urls?: readonly string[]
  readonly source?: string
  readonly job_id?: number
}

/** One of these is given, and no other. */
export const RESTORED_BY = ["urls", "source", "job_id"] as const

export const restoreBody: BodySchema<RestoreBody> = {
  properties: {
    urls: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: MAX_URLS,
      description: "These pages.",
    },
    source: { type: "string", description: "All removed pages of this source." },
    job_id: { type: "integer", minimum: 1, description: "All pages removed on the evidence of this run." },
  },
}

/** Which known pages a run may visit. */
export const VISITING = ["all", "due", "failed"] as const satisfies readonly Visiting[]

export const runBody: BodySchema<{ readonly visits?: Visiting }> = {
  properties: {
    visits: {
      type: "string",
      enum: VISITING,
      default: "all",
      description: "Every known page, only those that are due, or only those whose last visit failed.",
    },
  },
}

/** The models that ship with Fossick, and what leaves the choice to it: `model-choice.ts` of the engine. */
export const NAMED_MODELS = ["auto", "english", "multilingual"] as const

export const modelBody: BodySchema<{ readonly model: string }> = {
  required: ["model"],
  properties: {
    model: {
      type: "string",
      minLength: 1,
      description: `${NAMED_MODELS.map((name) => `\`${name}\``).join(", ")}, or the whole path of a folder with a model.`,
    },
  },
}

/** Days of usage that are shown when nobody says how many. */
export const DEFAULT_USE_DAYS = 30
export const USE_PERIODS = ["day", "month"] as const

export interface RunSeveralBody {
  readonly names?: readonly string[]
  readonly all?: true
  readonly visits?: Visiting
}

/** One of these is given, and no other. */
export const RUN_BY = ["names", "all"] as const

export const runSeveralBody: BodySchema<RunSeveralBody> = {
  properties: {
    names: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: MAX_URLS,
      description: "These sources; either they or `all`.",
    },
    all: { type: "boolean", enum: [true], description: "All sources that are not paused." },
    visits: {
      type: "string",
      enum: VISITING,
      default: "all",
      description: "Every known page, only those that are due, or only those whose last visit failed.",
    },
  },
}

/** Of calls that take no body, or an empty object. */
export const noFields: BodySchema<Record<string, never>> = { properties: {} }

/** Then a client asks for events again, with its key: one that was taken back learns nothing further. */
export const STREAM_SECONDS = 60
