import { appliance } from "../../session/appliance.ts"

let asked: Promise<ReadonlyMap<string, string>> | undefined

/** What each way to end a visit means to the operator; asked once. */
export function outcomeMeanings(): Promise<ReadonlyMap<string, string>> {
  asked ??= appliance.call("GET /admin/outcomes").then(
    ({ outcomes }) => new Map(outcomes.map(({ outcome, meaning }) => [outcome, meaning])),
    (error: unknown) => {
      asked = undefined
      throw error
    },
  )
  return asked
}
