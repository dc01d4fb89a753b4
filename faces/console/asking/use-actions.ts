import { useCallback, useState } from "preact/hooks"

import { toast } from "../../design/toast.tsx"
import { inWords } from "../../session/appliance.ts"

export interface Actions {
  readonly isBusy: boolean
  /** Why the last one was not done, in words. */
  readonly problem: string | null
  /** Does something, says that it is done, and has the screen look again. One at a time. */
  readonly act: (call: () => Promise<unknown>, said: string) => Promise<void>
}

/** What somebody does on a screen: each is a call of the admin API. */
export function useActions(refresh: () => void): Actions {
  const [state, setState] = useState<Pick<Actions, "isBusy" | "problem">>({ isBusy: false, problem: null })
  const act = useCallback(
    async (call: () => Promise<unknown>, said: string) => {
      setState({ isBusy: true, problem: null })
      try {
        await call()
        setState({ isBusy: false, problem: null })
        toast(said)
      } catch (error) {
        setState({ isBusy: false, problem: inWords(error) })
      }
      refresh()
    },
    [refresh],
  )
  return { ...state, act }
}
