import { randomBytes } from "node:crypto"

import { type Selectable, sql, type SqlBool } from "kysely"

import { deletionTime } from "#base/store/clock/trusted-time.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { principalOf } from "#engine/index/page/readers.ts"

/** A human whom a provider has vouched for. */
export interface Person {
  /** The person's id, which is used wherever a key id is stored. */
  readonly id: string
  readonly provider: string
  /** Identifies the person at the provider. */
  readonly subject: string
  /** The name that lists of readers use for the person, without `user:`. */
  readonly user: string
  /** For display; empty if not known. */
  readonly name: string
  /** For display; empty if not known. */
  readonly email: string
  /** The names that lists of readers use for these groups, without `group:`. */
  readonly groups: readonly string[]
  readonly firstSeen: Date
  /** The time of the last sign-in. */
  readonly lastSeen: Date
  /** When the provider last vouched for the person. */
  readonly provedAt: Date
  /** Whether the provider can be asked again without the person. */
  readonly isRenewable: boolean
  /** When the operator disabled the person; null if they are enabled. */
  readonly disabledAt: Date | null
}

/** A provider's facts about a person. */
export type Proof = Pick<
  Person,
  "provider" | "subject" | "user" | "name" | "email" | "groups" | "isRenewable"
>

/** Which people to find; all people match a field that is left out. */
export interface PeopleWanted {
  /** Part of the user's name, the name or the e-mail address, ignoring case. */
  readonly search?: string | undefined
  /** The name of a group, in the form of {@link Person.groups}. */
  readonly group?: string | undefined
}

interface Slice {
  readonly limit: number
  readonly offset: number
}

interface PersonTables {
  person: {
    id: string
    provider: string
    subject: string
    user_name: string
    name: string
    email: string
    groups: string
    first_seen: number
    last_seen: number
    proved_at: number
    is_renewable: number
    disabled_at: number | null
  }
}

const STEPS: readonly Step[] = [
  ({ text, integer, strict }) => `create table person (
     id ${text} primary key,
     provider ${text} not null,
     subject ${text} not null,
     user_name ${text} not null,
     name ${text} not null,
     email ${text} not null,
     groups ${text} not null,
     first_seen ${integer} not null,
     last_seen ${integer} not null,
     proved_at ${integer} not null,
     is_renewable ${integer} not null,
     disabled_at ${integer},
     unique (provider, subject)
   ) ${strict};
   create index person_by_user on person (user_name);
   create index person_by_last_seen on person (last_seen)`,
]

const byId = once((q: Queries<PersonTables>, { id }: { id: string }) =>
  q.selectFrom("person").selectAll().where("id", "=", id),
)

const bySubject = once(
  (q: Queries<PersonTables>, { provider, subject }: { provider: string; subject: string }) =>
    q.selectFrom("person").selectAll().where("provider", "=", provider).where("subject", "=", subject),
)

const PREFIX = "person-"
/** How long people are kept after their last sign-in; longer than any session lasts. */
const KEPT_MS = 400 * 86_400_000
/** Maximum length of the parts of a person's data that are shown to people. */
export const MAX_CHARS = 200

/** Whether a key id is a person's. */
export const isPersonId = (id: string): boolean => id.startsWith(PREFIX)

/** The people who have signed in. */
export class PersonStore {
  readonly #db: StateStore
  readonly #queries: Queries<PersonTables>

  constructor(db: StateStore) {
    migrate(db, "people", STEPS)
    this.#db = db
    this.#queries = queriesOf(db)
  }

  /**
   * Stores a provider's current facts. Call it inside a write transaction.
   * @param isSignIn whether the person has just signed in; otherwise the provider was asked in their absence
   */
  async proved(
    { provider, subject, user, name, email, groups, isRenewable }: Proof,
    isSignIn: boolean,
    now = Date.now(),
  ): Promise<Person> {
    if (isSignIn) await this.#forgetOld(now)
    const said = {
      user_name: nameOf("user", user) ?? user,
      name: name.slice(0, MAX_CHARS),
      email: email.slice(0, MAX_CHARS),
      groups: JSON.stringify(groups.flatMap((group) => nameOf("group", group) ?? [])),
      proved_at: now,
      is_renewable: isRenewable ? 1 : 0,
    }
    const row = await this.#queries
      .insertInto("person")
      .values({
        id: PREFIX + randomBytes(6).toString("hex"),
        provider,
        subject,
        first_seen: now,
        last_seen: now,
        disabled_at: null,
        ...said,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["provider", "subject"])
          .doUpdateSet({ ...said, ...(isSignIn && { last_seen: now }) }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    return personOf(row)
  }

  async get(id: string): Promise<Person | null> {
    const row = await byId.get(this.#db, { id })
    return row === undefined ? null : personOf(row)
  }

  /** The person for whom a provider has vouched under this subject. */
  async of(provider: string, subject: string): Promise<Person | null> {
    const row = await bySubject.get(this.#db, { provider, subject })
    return row === undefined ? null : personOf(row)
  }

  /** The people whom providers know by this name, most recent sign-in first. */
  async ofUser(user: string): Promise<Person[]> {
    const rows = await this.#found({}).selectAll().where("user_name", "=", user).execute()
    return rows.map(personOf)
  }

  /** The people that match, most recent sign-in first. */
  async list({ limit, offset, ...wanted }: PeopleWanted & Slice): Promise<Person[]> {
    const found = this.#found(wanted).selectAll().orderBy("last_seen", "desc").orderBy("id")
    return (await found.limit(limit).offset(offset).execute()).map(personOf)
  }

  /** The people whose ids come after this one, sorted by id, for iterating over all of them. */
  async after(id: string, limit: number): Promise<Person[]> {
    const found = this.#found({}).selectAll().where("id", ">", id).orderBy("id")
    return (await found.limit(limit).execute()).map(personOf)
  }

  async count(wanted: PeopleWanted = {}): Promise<number> {
    const { count } = await this.#found(wanted)
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    return count
  }

  #found({ search, group }: PeopleWanted) {
    let found = this.#queries.selectFrom("person")
    if (search !== undefined) {
      const texts = sql`lower(user_name || ' ' || name || ' ' || email)`
      found = found.where(sql<SqlBool>`instr(${texts}, lower(${search})) > 0`)
    }
    if (group !== undefined)
      found = found.where(sql<SqlBool>`exists (select 1 from json_each(groups) where value = ${group})`)
    return found
  }

  /**
   * Disables a person until they are enabled again. Call it inside a write transaction. @returns false when there is no
   * such person
   */
  async disable(id: string, now = Date.now()): Promise<boolean> {
    const person = await this.get(id)
    if (person?.disabledAt === null) await this.#setDisabled(id, now)
    return person !== null
  }

  /** Enables a person again. Call it inside a write transaction. @returns false when there is no such person */
  async enable(id: string): Promise<boolean> {
    return await this.#setDisabled(id, null)
  }

  /** Disabled people are kept, so that they stay disabled. */
  async #forgetOld(now: number): Promise<void> {
    const before = (await deletionTime(this.#db, now)) - KEPT_MS
    await this.#queries
      .deleteFrom("person")
      .where("last_seen", "<", before)
      .where("disabled_at", "is", null)
      .execute()
  }

  async #setDisabled(id: string, at: number | null): Promise<boolean> {
    const { numUpdatedRows } = await this.#queries
      .updateTable("person")
      .set({ disabled_at: at })
      .where("id", "=", id)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
}

/** A name in the form that lists of readers use, because access is decided by comparing texts. Null if it can't be a name. */
const nameOf = (kind: "user" | "group", given: string): string | null =>
  principalOf(`${kind}:${given}`)?.slice(kind.length + 1) ?? null

const personOf = (row: Selectable<PersonTables["person"]>): Person => ({
  id: row.id,
  provider: row.provider,
  subject: row.subject,
  user: row.user_name,
  name: row.name,
  email: row.email,
  groups: JSON.parse(row.groups) as string[],
  firstSeen: new Date(row.first_seen),
  lastSeen: new Date(row.last_seen),
  provedAt: new Date(row.proved_at),
  isRenewable: row.is_renewable === 1,
  disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at),
})
