import { useCallback, useState } from "preact/hooks"

import type { Call, GivenTo } from "../../../api/client/client.ts"
import { toast } from "../../design/toast.tsx"
import { appliance, inWords } from "../../session/appliance.ts"

/** The values for a call; optional for calls that need none. */
type Given<C extends Call> = {} extends GivenTo<C> ? [given?: GivenTo<C>] : [given: GivenTo<C>]

export interface Actions {
  readonly isBusy: boolean
  /** Why the last action failed, in words. */
  readonly problem: string | null
  /** Makes a call, reports success, and refreshes the screen. Only one call runs at a time. */
  readonly act: <C extends Call>(said: string, call: C, ...given: Given<C>) => Promise<void>
  /** Like `act`, for work that takes more than one call. */
  readonly doing: (said: string, work: () => Promise<unknown>) => Promise<void>
}

/** The actions of a screen: each is a call of the admin API. */
export function useActions(refresh: () => void): Actions {
  const [state, setState] = useState<Pick<Actions, "isBusy" | "problem">>({ isBusy: false, problem: null })
  const doing = useCallback(
    async (said: string, work: () => Promise<unknown>) => {
      setState({ isBusy: true, problem: null })
      try {
        await work()
        setState({ isBusy: false, problem: null })
        toast(said)
      } catch (error) {
        setState({ isBusy: false, problem: inWords(error) })
      }
      refresh()
    },
    [refresh],
  )
  const act: Actions["act"] = (said, call, ...[given]) => doing(said, () => appliance.call<Call>(call, given))
  return { ...state, act, doing }
}
