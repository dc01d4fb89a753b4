import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import type { Feature } from "../../feature.ts"

interface Needs {
  readonly accounts: Accounts
  readonly admissions: Admissions
  readonly config: { readonly bodyKey: boolean; readonly bodyLimit: number }
  /** Whether everything callers store here is lost when this process ends. */
  readonly keepsNothing: () => boolean
}

/** Keys, and their usage. */
export const usage = {
  name: "usage",
  async describe() {
    const { accountOperations } = await import("./described/account-operations.ts")
    return { operations: Object.values(accountOperations) }
  },
  async serve(router, { accounts, admissions, config, keepsNothing }) {
    const [{ ACCOUNT_PATHS, accountRoutes }, { roomOnDisk }] = await Promise.all([
      import("./routes.ts"),
      import("../../room-on-disk.ts"),
    ])
    accountRoutes(router, accounts, admissions, {
      ...config,
      mayKeep: roomOnDisk({ isLow: keepsNothing }),
    })
    return { endpoints: ACCOUNT_PATHS }
  },
} as const satisfies Feature<Needs>
