import type { Server } from "node:http"

import type { Engine } from "#engine"
import type { Values } from "#base/settings.ts"

import type { KeyStore } from "../accounts/keys/keys.ts"
import type { Context, Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"
import { mcpEndpoint } from "../mcp/mcp-endpoint.ts"
import { metrics } from "../metrics/metrics.ts"
import type { MetricsParts, BackupResults, JobCounts } from "../metrics/recorder.ts"
import { authentication } from "../middleware/authentication.ts"
import { cors } from "../middleware/cors.ts"
import { forwarded } from "../middleware/forwarded.ts"
import { securityHeaders } from "../middleware/security-headers.ts"
import { tolerantPath } from "../middleware/tolerant-path.ts"
import type { OAuth } from "../oauth/oauth-endpoints.ts"
import { OPENAPI_PATH, openApi } from "../openapi/serve.ts"
import type { Description } from "../operation/operation.ts"
import type { Tool } from "../operation/tool.ts"
import type { serviceSettings } from "../service-settings.ts"

export interface ServiceParts {
  readonly keys: Pick<KeyStore, "verify">
  readonly engine: Pick<Engine, "stats">
  readonly oauth?: OAuth
  readonly jobs: JobCounts
  readonly backups: BackupResults
  readonly sourceResults: MetricsParts["sourceResults"]
  readonly sales: MetricsParts["sales"]
  readonly peers: MetricsParts["peers"]
  readonly disk: MetricsParts["disk"]
  readonly indexState?: MetricsParts["indexState"]
  readonly load: MetricsParts["load"]
  readonly metricsOf: MetricsParts["metricsOf"]
  readonly config: Values<typeof serviceSettings> & {
    readonly publicUrl: string
    readonly bodyLimit: number
  }
  /** Loads what features say of their calls. */
  readonly describe: () => Promise<Required<Description>>
  /** Loads the tools that models are offered. */
  readonly loadTools: () => Promise<readonly Tool[]>
  /** Last segments of the paths of endpoints. */
  readonly endpoints: readonly string[]
  /** Those of them that are offered to models. */
  readonly tools: readonly string[]
  /** First segments of the paths of other APIs that are spoken here. */
  readonly otherApis: readonly string[]
  /** What the appliance says of itself first; null: nothing. */
  readonly notice: string | null
  /** Serves the whole app without listening. */
  readonly server: () => Server
  /** Refuses calls without a key under names that may be a stranger's. */
  readonly checkName: (ctx: Context) => void
}

/** Paths that are served without being endpoints. */
const OWN_PATHS = ["metrics", "mcp", OPENAPI_PATH] as const

/** What stands round all endpoints, in this order. It expects `ctx.app.proxy` to be set. */
export function service({
  keys,
  engine,
  oauth,
  jobs,
  backups,
  sourceResults,
  sales,
  peers,
  disk,
  indexState,
  load,
  metricsOf,
  config,
  endpoints,
  otherApis,
  tools,
  notice,
  server,
  checkName,
  describe,
  loadTools,
}: ServiceParts): readonly Middleware[] {
  const paths = [...endpoints, ...OWN_PATHS]
  // The key comes in the header: a scraper sends no body, and the body of the other is no object of ours.
  const authenticate = authentication(keys, { bodyKey: false }).beforeBody
  const own = URL.parse(config.publicUrl)?.origin
  return [
    forwarded(config.trustedProxies),
    securityHeaders(),
    cors(config.corsOrigins),
    tolerantPath(paths, URL.parse(config.publicUrl)?.pathname),
    ...(config.metrics === "off"
      ? []
      : [
          metrics({
            engine,
            jobs,
            backups,
            sourceResults,
            sales,
            peers,
            disk,
            indexState,
            load,
            metricsOf,
            endpoints: [...paths, ...otherApis, "admin", "docs"],
            authenticate:
              config.metrics === "open"
                ? (ctx, next) => {
                    checkName(ctx)
                    return next()
                  }
                : (ctx, next) =>
                    authenticate(ctx, async () => {
                      if (ctx.state.key.role !== "admin") throw new ApiError(403, METRICS_REFUSED)
                      await next()
                    }),
          }),
        ]),
    mcpEndpoint({
      server,
      authenticate,
      oauth: oauth ?? null,
      endpoints: tools,
      loadTools,
      notice,
      bodyLimit: config.bodyLimit,
      origins: [...config.corsOrigins, ...(own === undefined ? [] : [own])],
    }),
    openApi(config.publicUrl, describe),
  ]
}

const METRICS_REFUSED = "This key may search only. Metrics take a key of the role admin."
