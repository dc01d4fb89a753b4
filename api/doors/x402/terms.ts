import type { PaymentRequired, PaymentRequirements } from "@x402/core/types"
import { ExactEvmScheme } from "@x402/evm/exact/server"

import type { Address } from "./chain/address.ts"
import { MAX_TIMEOUT_SECONDS, NETWORKS, type X402Config } from "./settings.ts"

/** The price of one request. It is fixed, because clients were written for the API description, which states it. */
export const PRICE_USD = "0.010000"
/** The price in the token's smallest unit; USDC has six decimals. */
export const PRICE_UNITS = "10000"

const DESCRIPTION = "Web search at advanced depth, one request"

/** One payment option, in the format of protocol version 1. */
export interface RequirementsV1 {
  readonly scheme: string
  readonly network: string
  readonly maxAmountRequired: string
  readonly resource: string
  readonly description: string
  readonly mimeType: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly asset: string
  readonly extra: Readonly<Record<string, unknown>>
}

/** The terms for payers, in both versions of the protocol. */
export interface Terms {
  readonly requirements: PaymentRequirements & { readonly asset: Address; readonly payTo: Address }
  /** Null when version 1 is not served. */
  readonly requirementsV1: RequirementsV1 | null
  /** Numeric chain ID. */
  readonly chainId: number
  /** The item that is paid for. */
  readonly resource: PaymentRequired["resource"]
  /** The `PAYMENT-REQUIRED` header when `error` prevents the purchase. */
  challenge(error: string): PaymentRequired
}

/**
 * Builds the terms from the settings.
 * @throws Error when the price does not convert to the expected amount
 */
export async function paymentTerms(
  config: Pick<X402Config, "network" | "payTo" | "publicUrl" | "v1">,
): Promise<Terms> {
  const { network, payTo } = config
  const price = await new ExactEvmScheme().parsePrice(Number(PRICE_USD), network)
  if (price.amount !== PRICE_UNITS) {
    throw new Error(
      `USD ${PRICE_USD} came out as ${price.amount} units of ${price.asset} instead of ${PRICE_UNITS}`,
    )
  }
  const resource = {
    url: `${config.publicUrl}/search`,
    description: DESCRIPTION,
    mimeType: "application/json",
  }
  const offer = {
    scheme: "exact",
    asset: price.asset as Address,
    payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    // Name and version of the token's signing domain; they differ between networks.
    extra: price.extra ?? {},
  }
  const requirements = { ...offer, network, amount: price.amount }
  return {
    requirements,
    requirementsV1: config.v1
      ? {
          ...offer,
          network: NETWORKS[network],
          maxAmountRequired: price.amount,
          resource: resource.url,
          description: resource.description,
          mimeType: resource.mimeType,
        }
      : null,
    chainId: Number(network.split(":")[1]),
    resource,
    challenge: (error) => ({ x402Version: 2, error, resource, accepts: [requirements] }),
  }
}
