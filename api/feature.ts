import type { Router } from "@koa/router"
import type { Registry } from "prom-client"

import type { Settings } from "#base/settings.ts"

import type { Middleware, RequestState } from "./context.ts"
import type { Bound, StoredBytes } from "./server/load/bounds.ts"
import type { OtherApi } from "./server/middleware/error-envelope.ts"
import type { Description, DomainCaps } from "./server/operation/operation.ts"
import type { Tool } from "./server/operation/tool.ts"

/**
 * Everything one folder adds to the appliance: one value that the folder exports, and one line in `features.ts`. The
 * value is loaded wherever settings are read, including in the supervisor, so it imports only its settings and types:
 * `serve` loads the code that answers.
 *
 * @typeParam Needs the parts of the app that it uses, by name; `app.ts` doesn't compile when the app lacks any of them
 * @typeParam From the parts from which it opens its own, by name; the same holds for `main.ts`
 */
export interface Feature<in Needs, in From = never> {
  /** The feature's name, under which the app also stores the feature's parts. */
  readonly name: string
  /** The feature's own settings: they join those of the API, and their values are in `config`. */
  readonly settings?: Settings
  /**
   * Opens the feature's parts, once per process; returns nothing if this appliance doesn't serve the feature. Features
   * earlier in the list are already open.
   * @param closing closes the feature's parts, before the parts from which they were opened
   */
  readonly open?: (from: From, closing: AsyncDisposableStack) => unknown
  /**
   * Loads the description of its calls for `/openapi.json`.
   * @param caps the limits set on a server; left out to describe any server
   */
  readonly describe?: (caps?: DomainCaps) => Promise<Description>
  /** Loads its tools for models, which are offered over MCP. */
  readonly tools?: () => Promise<readonly Tool[]>
  /** Adds the feature's calls to the router. Returns its other additions, or nothing if this appliance doesn't serve the feature. */
  readonly serve?: (router: Router<RequestState>, needs: Needs) => Promise<Served | undefined>
}

/** The additions of a feature besides its routes. */
export interface Served {
  /** Last segments of its paths: recognised after any prefix, and counted by name in the metrics. */
  readonly endpoints?: readonly string[]
  /** The endpoints that models may use over MCP. */
  readonly toolEndpoints?: readonly string[]
  /** First segments of its other paths, counted by name in the metrics. */
  readonly roots?: readonly string[]
  /** Middleware that runs before all routes, in the order of the list of features. */
  readonly middleware?: Middleware
  /** The API of another product that the feature implements, with that API's refusals. */
  readonly otherApi?: OtherApi
  /** Sizes in bytes of the data that callers have stored in `state.db`, by kind. */
  readonly stored?: () => Promise<Readonly<Record<string, StoredBytes>>>
  /** How full its bounded resources are. */
  readonly bounds?: () => Promise<readonly Bound[]>
  /** Adds the feature's metrics. Called at the first scrape. */
  readonly metrics?: (registry: Registry) => void | Promise<void>
}
