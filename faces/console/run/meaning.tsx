import { useEffect, useState } from "preact/hooks"

import { appliance } from "../../session/appliance.ts"

type Meanings = ReadonlyMap<string, string>

let asked: Promise<Meanings> | undefined

/** Fetched only once. */
function meanings(): Promise<Meanings> {
  asked ??= appliance.call("GET /admin/outcomes").then(
    ({ outcomes }) => new Map(outcomes.map(({ outcome, meaning }) => [outcome, meaning])),
    (error: unknown) => {
      asked = undefined
      throw error
    },
  )
  return asked
}

/** What a visit's outcome means for the operator; empty until loaded, since the rest is readable without it. */
export function Meaning({ of }: { readonly of: string }) {
  const [known, setKnown] = useState<Meanings>(new Map())
  useEffect(() => {
    meanings().then(setKnown, () => undefined)
  }, [])
  return <>{known.get(of) ?? ""}</>
}
