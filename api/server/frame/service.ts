import type { Engine } from "#engine"
import type { Values } from "#base/settings.ts"

import type { KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { metrics } from "../metrics/metrics-endpoint.ts"
import type { BackupResults } from "../metrics/backup-metrics.ts"
import type { JobCounts } from "../metrics/job-metrics.ts"
import type { MetricsParts } from "../metrics/metrics-registry.ts"
import { authentication } from "../middleware/authentication.ts"
import { cors } from "../middleware/cors.ts"
import { forwarded } from "../middleware/forwarded.ts"
import { securityHeaders } from "../middleware/security-headers.ts"
import { tolerantPath } from "../middleware/tolerant-path.ts"
import { OPENAPI_PATH, openApi } from "../openapi/serve.ts"
import type { Description } from "../operation/operation.ts"
import type { serviceSettings } from "../../service-settings.ts"

export interface ServiceParts {
  readonly keys: Pick<KeyStore, "verify">
  readonly engine: Pick<Engine, "stats">
  readonly jobs: JobCounts
  readonly backups: BackupResults
  readonly sourceResults: MetricsParts["sourceResults"]
  readonly peers: MetricsParts["peers"]
  readonly disk: MetricsParts["disk"]
  readonly indexState?: MetricsParts["indexState"]
  readonly load: MetricsParts["load"]
  readonly metricsOf: MetricsParts["metricsOf"]
  readonly config: Values<typeof serviceSettings> & {
    readonly publicUrl: string
  }
  /** Loads the features' descriptions of their calls. */
  readonly describe: () => Promise<Required<Description>>
  /** Last segments of the endpoints' paths. */
  readonly endpoints: readonly string[]
  /** First segments of features' paths that are not endpoints. */
  readonly roots: readonly string[]
  /** Refuses calls without a key under host names that might belong to someone else. */
  readonly checkName: (ctx: Context) => void
}

/** Paths that are served without being endpoints. */
const OWN_PATHS = ["metrics", OPENAPI_PATH] as const

/** The middleware around all features, in this order. It expects `ctx.app.proxy` to be set. */
export function service({
  keys,
  engine,
  jobs,
  backups,
  sourceResults,
  peers,
  disk,
  indexState,
  load,
  metricsOf,
  config,
  endpoints,
  roots,
  checkName,
  describe,
}: ServiceParts): readonly Middleware[] {
  const paths = [...endpoints, ...OWN_PATHS]
  // A scraper sends no body, so the key must be in the header.
  const authenticate = authentication(keys, { bodyKey: false }).beforeBody
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
            peers,
            disk,
            indexState,
            load,
            metricsOf,
            endpoints: [...paths, ...roots],
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
    openApi(config.publicUrl, describe),
  ]
}

const METRICS_REFUSED = "This key may only search. Metrics are shown only to keys with the role admin."
