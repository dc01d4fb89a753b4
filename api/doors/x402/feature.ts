import type { Feature } from "../../feature.ts"

interface Needs {
  /** How requests to the paid search have ended since startup; null or left out where no searches are sold. */
  readonly sales?: () => ReadonlyMap<string, number> | null
}

/** Searches for sale: answered by a separate listener, and counted in the app's metrics. */
export const x402 = {
  name: "x402",
  serve: async (_router, { sales = () => null }) => ({
    async metrics(registry) {
      const { counts } = await import("../../server/metrics/load-metrics.ts")
      const help = "Requests to the paid search, by outcome."
      counts(registry, "fossick_paid_requests_total", help, "outcome", sales)
    },
  }),
} as const satisfies Feature<Needs>
