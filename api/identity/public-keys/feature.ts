import type { Accounts } from "../accounts/accounts.ts"
import type { RateLimits } from "../accounts/rates/rate-limits.ts"
import type { Feature } from "../../feature.ts"
import type { StateOutage } from "../../server/outage/state-outage.ts"
import type { PublicDoorParts } from "./door.ts"

interface Needs {
  readonly accounts: Pick<Accounts, "publicKeys" | "publicRates">
  /** The public key of the handbook; left out if it has none. */
  readonly handbookKey?: PublicDoorParts["handbookKey"]
  readonly outage: StateOutage
  readonly config: { readonly publicRateLimits: RateLimits; readonly publicUrl: string }
}

/** Keys that can appear in the source of a web page. */
export const publicKeys = {
  name: "public-keys",
  async serve(_router, { accounts, handbookKey = async () => null, config, outage }) {
    const { publicDoor } = await import("./door.ts")
    const { publicKeys: keys } = accounts
    return {
      middleware: publicDoor({
        publicKeys: {
          verify: outage.remembered(
            (text: string) => keys.verify(text),
            (key) => key !== null,
          ),
          admits: outage.remembered((origin: string) => keys.admits(origin)),
        },
        handbookKey,
        rates: accounts.publicRates,
        rateLimits: config.publicRateLimits,
        publicUrl: config.publicUrl,
      }),
    }
  },
} as const satisfies Feature<Needs>
