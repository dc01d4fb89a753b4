import type { StateStore } from "#base/store/state-store.ts"

import type { Feature } from "../../feature.ts"
import type { Accounts } from "../accounts/accounts.ts"
import type { PersonKeys } from "../people/person-keys.ts"
import type { PersonStore } from "../people/person-store.ts"
import type { SignOn } from "../sign-on/sign-on.ts"

interface From {
  readonly accountsDb: StateStore
  readonly accounts: Accounts
  readonly people: PersonStore
  /** The people declared in the sign-on file, or null. */
  readonly declared: { readonly keys: PersonKeys } | null
  /** Sign-on through providers; left out if no provider signs people in. */
  readonly signOn?: SignOn
}

/** Lets services act for people. */
export const acting = {
  name: "acting",
  async open({ accountsDb: db, accounts, people, declared, signOn }) {
    if (declared === null || signOn === undefined) return undefined
    const { openActing } = await import("./acting.ts")
    return openActing({ db, accounts, people, personKeys: declared.keys, providers: signOn.providers })
  },
} as const satisfies Feature<never, From>
