import type { Router } from "@koa/router"

import { type StateStore, transaction } from "#base/store/state-store.ts"
import { readersNow } from "#crawler/sources/readers/readers-now.ts"

import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { type Person, PersonStore } from "../../identity/people/person-store.ts"
import { SessionStore } from "../../identity/sessions/session-store.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { ofPerson, type People } from "./asked-person.ts"
import { allGroups } from "./groups.ts"
import { peopleOperations as calls } from "./operations.ts"
import type { PageCounts } from "./pages-in-reach.ts"

export interface PeopleParts {
  readonly db: StateStore
  /** The sign-on rules for people; null if no provider signs people in. */
  readonly people: People
  readonly counts: PageCounts
}

/** The people who have signed in: `/admin/people`, `/admin/groups`. */
export function peopleRoutes(router: Router<RequestState>, { db, people, counts }: PeopleParts): void {
  const store = new PersonStore(db)
  const sessions = new SessionStore(db)
  const known = async (id: string): Promise<Person> => {
    const person = await store.get(id)
    if (person === null) throw new ApiError(404, `There is no person ${JSON.stringify(id.slice(0, 100))}.`)
    return person
  }
  const onWire = async (person: Person) => ({
    ...personOnWire(person, people),
    sign_ins: (await sessions.of(person.id, Date.now())).length,
  })

  serve(router, calls.listPeople, async ({ query: { limit, offset, search, group } }) => {
    const wanted = { search: search?.trim(), group }
    const found = await store.list({ ...wanted, limit, offset })
    return { people: await Promise.all(found.map(onWire)), total: await store.count(wanted), limit, offset }
  })

  serve(router, calls.getPerson, async ({ path }) => await onWire(await known(path.id)))

  serve(router, calls.disablePerson, async ({ path }) => {
    const { id } = await known(path.id)
    await transaction(db, async () => {
      await store.disable(id)
      await sessions.endOf(id)
    })
    return await onWire(await known(id))
  })

  serve(router, calls.enablePerson, async ({ path }) => {
    const { id } = await known(path.id)
    await transaction(db, () => store.enable(id))
    return await onWire(await known(id))
  })

  serve(router, calls.listSignIns, async ({ path }) => {
    const { id } = await known(path.id)
    const found = await sessions.of(id, Date.now())
    return {
      sign_ins: found.map((one) => ({
        id: one.id,
        created_at: one.createdAt.toISOString(),
        expires_at: one.expiresAt.toISOString(),
      })),
    }
  })

  serve(router, calls.endSignIns, async ({ path }) => {
    const { id } = await known(path.id)
    return { id, ended: await transaction(db, () => sessions.endOf(id)) }
  })

  serve(router, calls.endSignIn, async ({ path }) => {
    const { id } = await known(path.id)
    if ((await transaction(db, () => sessions.endOf(id, path.sign_in))) === 0)
      throw new ApiError(404, "There is no such sign-in, or it has ended.")
    return { id: path.sign_in, ended: true } as const
  })

  serve(router, calls.listGroups, async ({ query: { limit, offset, search = "" } }) => {
    const all = await allGroups(store, await readersNow(db), await counts.now())
    const found = all.filter(({ name }) => name.includes(search.trim().toLowerCase()))
    return { groups: found.slice(offset, offset + limit), total: found.length, limit, offset }
  })
}

/** A person, in the form that programs receive. */
function personOnWire(person: Person, people: People) {
  const { role, refusal } = ofPerson(person, people)
  return {
    id: person.id,
    user: person.user,
    name: person.name,
    email: person.email,
    provider: person.provider,
    groups: person.groups,
    role,
    refusal,
    first_seen_at: person.firstSeen.toISOString(),
    last_seen_at: person.lastSeen.toISOString(),
    proved_at: person.provedAt.toISOString(),
    proof: people?.proofAge(person) ?? null,
    disabled_at: person.disabledAt?.toISOString() ?? null,
  }
}
