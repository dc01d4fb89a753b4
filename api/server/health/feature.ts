import type { Logger } from "pino"

import type { Feature } from "../../feature.ts"
import type { StateOutage } from "../outage/state-outage.ts"
import type { Check } from "./health.ts"

interface Needs {
  /** The checks of /readyz, by name. */
  readonly checks: Readonly<Record<string, Check>>
  /** Further checks that /readyz shows; they don't affect readiness. */
  readonly notes?: Readonly<Record<string, Check>>
  /** Warnings that /readyz shows about working parts. */
  readonly warnings?: () => Promise<readonly string[]>
  readonly outage: StateOutage
  readonly readOnly: string | null
  readonly log: Logger
}

/** Whether the appliance is alive, and whether it works. */
export const health = {
  name: "health",
  async describe() {
    return { operations: Object.values((await import("./operations.ts")).healthOperations) }
  },
  async serve(router, { checks, notes, warnings, outage, readOnly, log }) {
    const { healthRoutes } = await import("./routes.ts")
    healthRoutes(router, {
      checks,
      notes,
      outage,
      warnings: async () => [...(readOnly === null ? [] : [readOnly]), ...((await warnings?.()) ?? [])],
      onFailure: (check, err) => log.warn({ check, err }, "not ready"),
    })
    return { endpoints: ["healthz", "readyz"] }
  },
} as const satisfies Feature<Needs>
