import { breather } from "#base/flow/breather.ts"

import type { Person, PersonStore } from "../../identity/people/person-store.ts"

const AT_ONCE = 500
/** People that are looked through; of more, those who signed in last. */
export const MOST_PEOPLE = 20_000

/** The people who have signed in, those who did last first. The event loop is never held for long. */
export async function* knownPeople(store: Pick<PersonStore, "list">): AsyncGenerator<Person> {
  const breathe = breather()
  for (let offset = 0; offset < MOST_PEOPLE; offset += AT_ONCE) {
    const some = await store.list({ limit: AT_ONCE, offset })
    for (const person of some) {
      yield person
      await breathe()
    }
    if (some.length < AT_ONCE) return
  }
}
