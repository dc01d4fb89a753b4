import { useEffect } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { appliance } from "../../session/appliance.ts"
import { Overview } from "../overview/overview.tsx"
import { Head, Loading, Problem } from "../parts.tsx"
import { useCall } from "../asking/use-call.ts"
import { FirstRun } from "./first-run.tsx"

/** The console's first view: the first run of a new appliance, the overview of any other. */
export function Beginning({ onNamed }: { readonly onNamed: () => void }) {
  const { value, problem, call } = useCall<AnswerOf<"GET /admin/appliance">>()
  const ask = () => call((signal) => appliance.call("GET /admin/appliance", { signal }))
  useEffect(ask, [])
  if (value !== null) return value.is_new ? <FirstRun source={null} onNamed={onNamed} /> : <Overview />
  return (
    <>
      <Head title="Overview" page="Overview" />
      {problem === null ? <Loading /> : <Problem text={problem} onAgain={ask} />}
    </>
  )
}
