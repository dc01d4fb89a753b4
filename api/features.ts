import type { Settings } from "#base/settings.ts"

import { acting } from "./identity/acting/feature.ts"
import { admin } from "./operator/admin/feature.ts"
import { documents } from "./services/documents/feature.ts"
import { faces } from "./faces/feature.ts"
import { files } from "./services/files/feature.ts"
import { firecrawl } from "./doors/firecrawl/feature.ts"
import { handbook } from "./faces/handbook/feature.ts"
import { health } from "./server/health/feature.ts"
import { history } from "./operator/history/feature.ts"
import { mcp } from "./doors/mcp/feature.ts"
import { oikb } from "./doors/oikb/feature.ts"
import { oauth } from "./identity/oauth/feature.ts"
import { openai } from "./doors/openai/feature.ts"
import { openwebui } from "./doors/openwebui/feature.ts"
import { pages } from "./services/pages/feature.ts"
import { publicKeys } from "./identity/public-keys/feature.ts"
import { queries } from "./services/queries/feature.ts"
import { research } from "./services/research/feature.ts"
import { searxng } from "./doors/searxng/feature.ts"
import { sessions } from "./identity/sessions/feature.ts"
import { signOn } from "./identity/sign-on/feature.ts"
import { suggestions } from "./services/suggestions/feature.ts"
import { tavily } from "./doors/tavily/feature.ts"
import { usage } from "./operator/usage/feature.ts"
import { watchesOf } from "./services/watches/feature.ts"
import { x402 } from "./doors/x402/feature.ts"

/** Everything the appliance offers over HTTP. Middleware runs, and settings and calls are listed, in this order. */
export const features = [
  mcp,
  tavily,
  suggestions,
  pages,
  files,
  documents,
  research,
  openai,
  firecrawl,
  searxng,
  openwebui,
  oikb,
  watchesOf(async () => (await import("./doors/tavily/lent/saved-search.ts")).readQuestion),
  usage,
  queries,
  history,
  signOn,
  acting,
  oauth,
  publicKeys,
  sessions,
  faces,
  handbook,
  admin,
  health,
  x402,
] as const

/** Loads the part that sells searches on its own listener. */
export const loadSales = () => import("./doors/tavily/lent/sold-search.ts")

/** The settings of features, by their names in `config`. */
export const settingsOf = <F extends { readonly name: string; readonly settings?: Settings }>(
  all: readonly F[],
): AllOf<OwnSettings<F>> => Object.assign({}, ...all.map(({ settings }) => settings)) as AllOf<OwnSettings<F>>

/** The parts that features open, by name; left out if this appliance doesn't serve the feature. */
export type OpenedBy<F extends { readonly name: string }> = {
  readonly [One in F as One extends { readonly open: unknown } ? One["name"] : never]?: One extends {
    readonly open: (...given: never[]) => infer Own
  }
    ? Exclude<Awaited<Own>, undefined>
    : never
}

type OwnSettings<F> = F extends { readonly settings: infer S } ? S : object
/** Turns a union into the intersection of its members. */
type AllOf<U> = (U extends unknown ? (one: U) => void : never) extends (one: infer I) => void ? I : never
