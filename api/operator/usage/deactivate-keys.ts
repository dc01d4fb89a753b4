import { keyChange } from "#base/audit/field-changes.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import { OPERATOR } from "../../identity/accounts/keys/keys.ts"
import type { Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { deactivateKeysSchema } from "./schema.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { KeysDeactivated } from "./described/account-operations.ts"

/** POST /deactivate-keys: disables the keys that one call made, or the key of this call. */
export function deactivateKeys({ keys, writes }: Pick<Accounts, "keys" | "writes">): Middleware {
  const read = bodyReader(deactivateKeysSchema)
  return async (ctx) => {
    const { key } = ctx.state
    const { request_id: generation } = read(ctx.state.body)
    const warnings = presentWarnings(unknownFields(deactivateKeysSchema, ctx.state.body))
    if (!key.mayMakeKeys && !key.mayEndItself) {
      throw new ApiError(403, "Access denied. This key may not deactivate keys.")
    }
    if (generation === undefined) {
      if (key.id === OPERATOR.id) {
        throw new ApiError(
          403,
          "This key can't be deactivated over the API. Change the server's setting FOSSICK_API_KEY instead.",
        )
      }
      await writes.run(() => keys.disable(key.id))
      ctx.state.keysChanged = (await keys.list())
        .filter(({ id }) => id === key.id)
        .map((one) => keyChange(one, "ended"))
      ctx.body = { message: "Successfully deactivated 1 key(s)", ...warnings } satisfies Of<
        typeof KeysDeactivated
      >
      return
    }
    if (!key.mayMakeKeys) throw new ApiError(403, "Access denied. This key may not deactivate other keys.")
    const madeBy = key.role === "admin" ? null : key.id
    const { count, ended } = await writes.run(async () => {
      const valid = await keys.validOf(generation, madeBy)
      return { count: await keys.disableGeneration(generation, madeBy), ended: valid }
    })
    if (count === null) throw new ApiError(404, "No keys were generated with this request_id.")
    ctx.state.keysChanged = ended.map((one) => keyChange(one, "ended"))
    ctx.body = { message: `Successfully deactivated ${count} key(s)`, ...warnings } satisfies Of<
      typeof KeysDeactivated
    >
  }
}
