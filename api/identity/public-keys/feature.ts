import type { Accounts } from "../accounts/accounts.ts"
import type { RateLimits } from "../accounts/limits/rate-limits.ts"
import type { Feature } from "../../feature.ts"
import type { PublicDoorParts } from "./door.ts"

interface Needs {
  readonly accounts: Pick<Accounts, "publicKeys" | "publicRates">
  /** The public key of the handbook; left out, there is none. */
  readonly handbookKey?: PublicDoorParts["handbookKey"]
  readonly config: { readonly publicRateLimits: RateLimits; readonly publicUrl: string }
}

/** Keys that may be in the source of a web page. */
export const publicKeys = {
  name: "public-keys",
  async serve(_router, { accounts, handbookKey = async () => null, config }) {
    const { publicDoor } = await import("./door.ts")
    return {
      middleware: publicDoor({
        publicKeys: accounts.publicKeys,
        handbookKey,
        rates: accounts.publicRates,
        rateLimits: config.publicRateLimits,
        publicUrl: config.publicUrl,
      }),
    }
  },
} as const satisfies Feature<Needs>
