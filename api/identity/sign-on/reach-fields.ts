import { readFileSync } from "node:fs"

import { certificatesIn } from "#base/process/authorities.ts"
import { AllowedNetworks } from "#crawler/fetch/guard/allowed-networks.ts"

import type { Reading } from "./provider.ts"

/** How a provider is reached. */
export interface Reach {
  /** Private addresses, ranges or host names at which the provider may be reached. */
  readonly networks: readonly string[]
  /** File with its certificate authority; null for the system's. */
  readonly caFile: string | null
}

/** Schema fields for kinds that contact their provider over HTTP. */
export const REACH_FIELDS = {
  networks: {
    description: "Private addresses, ranges or host names at which this provider may be reached.",
    type: "array",
    maxItems: 32,
    items: { type: "string", minLength: 1 },
  },
  caFile: {
    description: "PEM file of the certificate authority for the provider's certificate.",
    type: "string",
    minLength: 1,
  },
} as const

/** Validates these fields. */
export function checkReach({ networks = [], caFile = null }: Partial<Reach>, tried: Reading["tried"]): Reach {
  tried("networks", () => new AllowedNetworks(networks))
  if (caFile !== null) tried("caFile", () => readAuthority(caFile))
  return { networks, caFile }
}

function readAuthority(file: string): void {
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new Error(`cannot be read (${file})`)
  }
  if (certificatesIn(text).length === 0) throw new Error(`has no certificate (${file})`)
}
