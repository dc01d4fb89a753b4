import { breather } from "#base/flow/breather.ts"

import type { Person, PersonStore } from "../../identity/people/person-store.ts"

export type AllPeople = Pick<PersonStore, "after">

const AT_ONCE = 100
/** Maximum number of people that one call checks: about a second's work. */
const MOST_PEOPLE = 20_000

/** The people who have signed in, in any order. Never blocks the event loop for long. */
export async function* knownPeople(store: AllPeople): AsyncGenerator<Person> {
  const breathe = breather()
  let last = ""
  for (let seen = 0; seen < MOST_PEOPLE; seen += AT_ONCE) {
    const some = await store.after(last, AT_ONCE)
    for (const person of some) {
      yield person
      await breathe()
    }
    if (some.length < AT_ONCE) return
    last = some.at(-1)!.id
  }
}
