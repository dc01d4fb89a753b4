import { useCallback, useState } from "preact/hooks"

import { toast } from "../../design/toast.tsx"
import { inWords } from "../../session/appliance.ts"

export interface Actions {
  /** Name of what is being done; null: nothing. */
  readonly busy: string | null
  /** Why the last one was not done, in words. */
  readonly problem: string | null
  /** Does something, says that it is done, and has the screen look again. One at a time. */
  readonly act: (name: string, call: () => Promise<unknown>, said: string) => Promise<void>
}

/** What somebody does on a screen: each is a call of the admin API. */
export function useActions(refresh: () => void): Actions {
  const [state, setState] = useState<Pick<Actions, "busy" | "problem">>({ busy: null, problem: null })
  const act = useCallback(
    async (name: string, call: () => Promise<unknown>, said: string) => {
      setState({ busy: name, problem: null })
      try {
        await call()
        setState({ busy: null, problem: null })
        toast(said)
      } catch (error) {
        setState({ busy: null, problem: inWords(error) })
      }
      refresh()
    },
    [refresh],
  )
  return { ...state, act }
}
