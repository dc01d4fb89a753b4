import type { Settings } from "#base/settings.ts"

import { admin } from "./admin/feature.ts"
import { faces } from "./faces/feature.ts"
import { firecrawl } from "./firecrawl/feature.ts"
import { handbook } from "./handbook/feature.ts"
import { health } from "./health/feature.ts"
import { history } from "./history/feature.ts"
import { mcp } from "./mcp/feature.ts"
import { oauth } from "./oauth/feature.ts"
import { openai } from "./openai/feature.ts"
import { openwebui } from "./openwebui/feature.ts"
import { pages } from "./pages/feature.ts"
import { publicKeys } from "./public-keys/feature.ts"
import { queries } from "./queries/feature.ts"
import { research } from "./research/feature.ts"
import { searxng } from "./searxng/feature.ts"
import { sessions } from "./sessions/feature.ts"
import { suggestions } from "./suggestions/feature.ts"
import { tavily } from "./tavily/feature.ts"
import { usage } from "./usage/feature.ts"
import { watchesOf } from "./watches/feature.ts"
import { x402 } from "./x402/feature.ts"

/** All that the appliance offers over HTTP. Middleware runs, and settings and calls are listed, in this order. */
export const features = [
  mcp,
  tavily,
  suggestions,
  pages,
  research,
  openai,
  firecrawl,
  searxng,
  openwebui,
  watchesOf(async () => (await import("./tavily/lent/saved-search.ts")).readQuestion),
  usage,
  queries,
  history,
  oauth,
  publicKeys,
  sessions,
  faces,
  handbook,
  admin,
  health,
  x402,
] as const

/** Loads what sells searches on a listener of its own. */
export const loadSales = () => import("./tavily/lent/sold-search.ts")

/** The settings of features, by their names in `config`. */
export const settingsOf = <F extends { readonly name: string; readonly settings?: Settings }>(
  all: readonly F[],
): AllOf<OwnSettings<F>> => Object.assign({}, ...all.map(({ settings }) => settings)) as AllOf<OwnSettings<F>>

/** What features open, by their names; left out: this appliance doesn't serve the feature. */
export type OpenedBy<F extends { readonly name: string }> = {
  readonly [One in F as One extends { readonly open: unknown } ? One["name"] : never]?: One extends {
    readonly open: (...given: never[]) => infer Own
  }
    ? Exclude<Awaited<Own>, undefined>
    : never
}

type OwnSettings<F> = F extends { readonly settings: infer S } ? S : object
/** The intersection of the members of a union. */
type AllOf<U> = (U extends unknown ? (one: U) => void : never) extends (one: infer I) => void ? I : never
