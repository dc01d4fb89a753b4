import type { SoldCall } from "./sold-call.ts"
import { PRICE_USD, type Terms } from "./terms.ts"

/** The path where programs look up a service's prices before they call it. */
export const PRICING_PATH = "/.well-known/pricing"

/** The item sold here, its price and the way to pay. */
export function pricing(terms: Terms, { schema }: SoldCall) {
  const { resource, requirements } = terms
  const { query, search_depth: depth, max_results: results } = schema.properties
  return {
    version: "1.0.0",
    endpoints: [
      {
        method: "POST",
        path: "/search",
        url: resource.url,
        description: resource.description,
        price: { type: "fixed", currency: "USD", amount: PRICE_USD, per: "request" },
        charged: "Only for answers with status 200, including those without results.",
        request: {
          content_type: "application/json",
          required: schema.required,
          query: query["x-allowed"],
          search_depth: depth["enum"],
          max_results: results["anyOf"],
          fields: Object.keys(schema.properties),
        },
        payment: {
          protocol: "x402",
          versions: terms.requirementsV1 === null ? [2] : [2, 1],
          accepts: [requirements],
        },
      },
    ],
  }
}
