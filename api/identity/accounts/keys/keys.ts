import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

import { type Generated, type Selectable, sql, type UpdateObject } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { lesser } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { Principal } from "#engine/index/page/readers.ts"

import { type KeyScope, scopeOfText, scopeText, UNLIMITED } from "./key-scope.ts"
import { ApiError } from "../../../errors.ts"
import { parseRateLimits, type RateLimits, rateLimitsText } from "../rates/rate-limits.ts"
import { countStored, type StoredTable, StoredUse } from "../storage/stored-use.ts"

/**
 * `search` may use every endpoint that searches and reads; `write` may send and delete documents, but read nothing
 * else; `operator` may search and run crawls, but does not decide who may read pages; `admin` may do everything.
 */
export type KeyRole = "search" | "write" | "operator" | "admin"

export const KEY_ROLES: readonly KeyRole[] = ["search", "write", "operator", "admin"]

/**
 * How a service names the person it acts for: `tokens`, which are signed; or `headers`, which can also be unsigned, so
 * that anyone who has the key can act as any person.
 */
export type ActsBy = "tokens" | "headers"

export const ACTS_BY: readonly ActsBy[] = ["tokens", "headers"]

/** A service that acts for a person: the ids of its key, and of the person. */
export interface OnBehalf {
  readonly keyId: string
  readonly personId: string
}

export type KeyType = "development" | "production"

/** Credits that a key may use: in each calendar month (UTC), or in total. */
export interface CreditLimit {
  readonly credits: number
  readonly per: "month" | "total"
}

export const LIMIT_PERIODS: readonly CreditLimit["per"][] = ["month", "total"]

/** A valid key, without the key itself. */
export interface ApiKey {
  /** Stable name of the key in logs and counters. */
  readonly id: string
  readonly role: KeyRole
  /** The last characters of its text, for lists; empty if unknown. */
  readonly hint: string
  readonly scope: KeyScope
  /** The users and groups whose pages the holder may read, in addition to public pages; null for every page, whoever its readers are. */
  readonly principals: readonly Principal[] | null
  /** Projects that calls with this key may name; empty for any. If there is just one, calls that name no project belong to it. */
  readonly projects: readonly string[]
  /** Null if only the plan limits its credits. */
  readonly creditLimit: CreditLimit | null
  /** Rate limits that override the settings; null if the settings apply. */
  readonly rateLimits: RateLimits | null
  /** Whether it may make other keys, none of which may do more than it can. Keys with the role admin always may. */
  readonly mayMakeKeys: boolean
  /** Whether its holder may disable it: false for a shared key. */
  readonly mayEndItself: boolean
  /** When it expires; null if never. */
  readonly expiresAt: Date | null
  /**
   * How the key's service names the people it acts for, each with their own rights; without a person the key gives no
   * access. Null for a key that doesn't act for people.
   */
  readonly actsForPeople: ActsBy | null
  /**
   * The person for whom a service acts with this key; limits, credits and logs are those of the service's key. Null if
   * no service is involved, or if it acts for itself.
   */
  readonly onBehalf: OnBehalf | null
}

/** The key whose limits apply and whose credits are used: the service's key, if a service acts for a person. */
export const payerOf = <K extends Pick<ApiKey, "id" | "onBehalf">>(key: K): K =>
  key.onBehalf === null ? key : { ...key, id: key.onBehalf.keyId }

/** A key without limits, except those given. */
export const apiKey = (given: Pick<ApiKey, "id" | "role"> & Partial<ApiKey>): ApiKey => ({
  hint: "",
  scope: UNLIMITED,
  principals: given.role === "admin" ? null : [],
  projects: [],
  creditLimit: null,
  rateLimits: null,
  mayMakeKeys: given.role === "admin",
  mayEndItself: given.role === "admin",
  expiresAt: null,
  actsForPeople: null,
  onBehalf: null,
  ...given,
})

/** A key that was made here, as lists show it. */
export interface MadeKey extends ApiKey {
  /** The name its maker gave it; empty if none. */
  readonly name: string
  readonly keyType: KeyType
  readonly createdAt: Date
  /** When it was disabled; null if it isn't. */
  readonly disabledAt: Date | null
  /** Id of the key that made it over the API; null for keys made by the command or at the first start. */
  readonly madeBy: string | null
}

/** The properties of a new key; omitted ones mean no limit. */
export interface KeySpec extends Partial<Omit<ApiKey, "id" | "role" | "hint" | "mayEndItself" | "onBehalf">> {
  readonly role: KeyRole
  readonly name?: string
  readonly keyType?: KeyType
  readonly madeBy?: string
  /** Identifies keys that were made together, see {@link KeyStore.disableGeneration}. */
  readonly generation?: string
}

/**
 * The API keys of this appliance.
 *
 * Only SHA-256 digests are kept. A slow password hash would add nothing: generated keys carry 256 random bits, so
 * finding the source of a digest by guessing is infeasible at any speed, while the check runs on every request.
 */
export interface KeyStore {
  /** The key behind `presented`, or null if it may not be used to search and read, or may only be used for a person. */
  verify(presented: string): Promise<ApiKey | null>
  /** The key behind `presented`, or null when it may not be used to send documents. */
  verifyWriter(presented: string): Promise<ApiKey | null>
  /** The service key behind `presented`, or null if it is not a valid key that may act for people. */
  verifyService(presented: string): Promise<ApiKey | null>
  /**
   * The key with which a service acts for a person; null if `presented` is not a service's key.
   * @param header value of a request header; empty if it wasn't sent
   * @throws ApiError 401 when the request names no person, 403 when that person has no rights
   */
  actFor(presented: string, header: (name: string) => string): Promise<ApiKey | null>
  /** The key behind `presented`, including disabled and expired ones; null if it was not made here. */
  lookUp(presented: string): Promise<MadeKey | null>
  /** The key with this id, or null when it may not be used: for work that continues after its call. */
  byId(id: string): Promise<ApiKey | null>
  /** The name given to a key by its maker, whether the key is disabled or not, or a person's user name. Empty if there is no name or no such key. */
  nameOf(id: string): Promise<string>
  /** Makes and stores a key. The return value is the only copy of its text. */
  create(spec: KeySpec): Promise<string>
  /**
   * Whether `maker` may have `count` more keys.
   * @param size bytes of each key's limits
   */
  hasRoom(maker: string, count: number, size: number): Promise<boolean>
  /**
   * Deletes up to `count` keys made over the API that ended before `time`; credits given to them stay counted. Call it
   * inside a write transaction.
   * @returns how many were deleted
   */
  prune(time: number, count: number): Promise<number>
  /** Totals of the keys made over the API, by maker. */
  readonly stored: StoredUse
  /** Every key that was made, oldest first. */
  list(): Promise<readonly MadeKey[]>
  /** Disables a key until it is enabled. @returns false when there is no such key. */
  disable(id: string): Promise<boolean>
  /** Enables a disabled key, unless it has expired. @returns false when there is no such key. */
  enable(id: string): Promise<boolean>
  /** Makes a key expire earlier; a later time changes nothing. @returns false when there is no such key. */
  endBy(id: string, time: Date): Promise<boolean>
  /**
   * Deletes a key for good; credits given to it stay counted. Call it inside a write transaction. @returns false when
   * there is no such key.
   */
  delete(id: string): Promise<boolean>
  /** The keys that were made together and are still valid; if `madeBy` isn't null, only those made by that key. */
  validOf(generation: string, madeBy: string | null): Promise<readonly MadeKey[]>
  /**
   * Disables the keys made by one call.
   * @param madeBy the key whose keys are disabled; null for all makers
   * @returns how many were still valid; null when none was ever made
   */
  disableGeneration(generation: string, madeBy: string | null): Promise<number | null>
  /** Credits that a key has given to the keys it made, in its limit's period, including keys that are no longer valid. */
  handedOut(maker: Pick<ApiKey, "id" | "creditLimit">): Promise<number>
  /** Whether there is at least one key that would be accepted. */
  any(): Promise<boolean>
}

export const STORED_KEYS: StoredTable = {
  table: "api_keys",
  key: "made_by",
  columns: ["name", "scope", "projects", "rate_limits"],
}

interface KeyTables {
  api_keys: {
    id: string
    digest: Uint8Array
    created_at: string
    role: "search" | "admin"
    only_writes: Generated<number>
    operates: Generated<number>
    name: string
    disabled_at: string | null
    hint: string
    key_type: KeyType
    scope: string | null
    principals: string | null
    acts_for_people: ActsBy | null
    projects: string | null
    credit_limit: number | null
    limit_per: CreditLimit["per"]
    rate_limits: string | null
    may_make_keys: number
    expires_at: string | null
    made_by: string | null
    generation: string | null
    handed_out_before: Generated<number>
  }
}
type KeyRow = Selectable<KeyTables["api_keys"]>

const STEPS: readonly Step[] = [
  (words) => {
    const { text, integer, blob, strict } = words
    return `create table api_keys (
     id ${text} primary key,
     digest ${blob} not null unique,
     created_at ${text} not null,
     role ${text} not null default 'search' check (role in ('search', 'admin')),
     name ${text} not null default '',
     disabled_at ${text},
     hint ${text} not null default '',
     key_type ${text} not null default 'production',
     scope ${text},
     projects ${text},
     credit_limit ${integer},
     limit_per ${text} not null default 'month',
     rate_limits ${text},
     may_make_keys ${integer} not null default 0,
     expires_at ${text},
     made_by ${text},
     generation ${text},
     handed_out_before ${integer} not null default 0
   ) ${strict};
   create index api_keys_by_generation on api_keys (generation) where generation is not null;
   create index api_keys_by_maker on api_keys (made_by) where made_by is not null;
   ${countStored(words, STORED_KEYS)}`
  },
  // The column's check allows two roles; a key that writes is stored as `search` with this mark.
  ({ integer }) => `alter table api_keys add column only_writes ${integer} not null default 0;`,
  ({ text }) => `alter table api_keys add column principals ${text};`,
  ({ text }) => `alter table api_keys add column acts_for_people ${text};`,
  // The corresponding mark for operator keys.
  ({ integer }) => `alter table api_keys add column operates ${integer} not null default 0;`,
]

/** Maximum size in bytes of one maker's keys: their scopes and projects can be long. */
const MOST_BYTES = 16_000_000

/** The key from the settings, as its holder uses it. */
export const OPERATOR = apiKey({ id: "operator", role: "admin" })

const NO_PEOPLE =
  "Access denied. This key acts for people, but no identity provider signs people in here (FOSSICK_SIGN_ON_FILE)."

const HINT_CHARS = 4
const byDigest = once((q: Queries<KeyTables>, { given }: { given: Uint8Array }) =>
  q.selectFrom("api_keys").selectAll().where("digest", "=", given),
)
const byId = once((q: Queries<KeyTables>, { id }: { id: string }) =>
  q.selectFrom("api_keys").selectAll().where("id", "=", id),
)
const handedOutSince = once((q: Queries<KeyTables>, { maker, since }: { maker: string; since: string }) =>
  q
    .selectFrom("api_keys")
    .select((eb) => eb.fn.sum<number | null>("credit_limit").as("credits"))
    .where("made_by", "=", maker)
    .where("created_at", ">=", since),
)

/**
 * @param operatorKey a key that is accepted as admin as long as it is given here, and never stored; empty if there is
 * none. It might be a human-chosen password, which is the other reason to keep even its digest out of the file.
 * @param keysPerKey maximum number of keys made by one key, including ended ones until they are pruned
 */
export function openKeyStore(db: StateStore, operatorKey: string, keysPerKey = Infinity): KeyStore {
  migrate(db, "keys", STEPS)
  const stored = new StoredUse(db, STORED_KEYS)
  const operator = operatorKey === "" ? null : digest(operatorKey)
  const queries = queriesOf<KeyTables>(db)
  const keys = queries.selectFrom("api_keys").selectAll().orderBy("created_at").orderBy("id")
  /** Valid keys are neither disabled nor expired. Times are ISO strings in one format, so they can be compared as text. */
  const isValidNow = () => sql<boolean>`disabled_at is null and (expires_at is null or expires_at > ${now()})`
  const isOf = (generation: string, madeBy: string | null) =>
    sql<boolean>`generation = ${generation} and made_by = coalesce(${madeBy}, made_by)`
  /** @returns false when there is no such key */
  const update = async (id: string, values: UpdateObject<KeyTables, "api_keys">) => {
    const changed = queries.updateTable("api_keys").set(values).where("id", "=", id)
    return (await changed.executeTakeFirst()).numUpdatedRows > 0n
  }

  /** The database's index contains only digests, so the timing of a lookup reveals nothing about the text of a key. */
  const find = async (given: Buffer): Promise<MadeKey | null> => {
    const row = await byDigest.get(db, { given })
    return row !== undefined && timingSafeEqual(row.digest, given) ? keyOf(row) : null
  }
  /** Credits given to the deleted key stay counted for its maker. */
  const remove = async ({ id, made_by, credit_limit }: Pick<KeyRow, "id" | "made_by" | "credit_limit">) => {
    if (made_by !== null)
      await update(made_by, { handed_out_before: sql<number>`handed_out_before + ${credit_limit ?? 0}` })
    await queries.deleteFrom("api_keys").where("id", "=", id).execute()
  }
  const valid = async (presented: string): Promise<ApiKey | null> => {
    const given = digest(presented)
    if (operator !== null && timingSafeEqual(operator, given)) return OPERATOR
    const key = await find(given)
    return key !== null && isValid(key) ? key : null
  }
  const verifyService: KeyStore["verifyService"] = async (presented) => {
    const key = await valid(presented)
    return key?.actsForPeople ? key : null
  }
  return {
    async verify(presented) {
      const key = await valid(presented)
      return key?.role === "write" || key?.actsForPeople ? null : key
    },
    async verifyWriter(presented) {
      const key = await valid(presented)
      return key?.role === "write" || key?.role === "admin" ? key : null
    },
    verifyService,
    async actFor(presented) {
      if ((await verifyService(presented)) === null) return null
      throw new ApiError(403, NO_PEOPLE)
    },
    lookUp: (presented) => find(digest(presented)),
    async byId(id) {
      if (id === OPERATOR.id) return operator === null ? null : OPERATOR
      const row = await byId.get(db, { id })
      const key = row === undefined ? null : keyOf(row)
      return key !== null && isValid(key) ? key : null
    },
    nameOf: async (id) => (await byId.get(db, { id }))?.name ?? "",
    async create(spec) {
      const keyType = spec.keyType ?? "production"
      const text = `fsk-${keyType === "development" ? "dev-" : ""}${randomBytes(32).toString("base64url")}`
      const { scope = UNLIMITED, projects = [], creditLimit = null, rateLimits = null } = spec
      const { principals = null, actsForPeople = null } = spec
      await queries
        .insertInto("api_keys")
        .values({
          id: randomBytes(6).toString("hex"),
          digest: digest(text),
          created_at: now(),
          role: spec.role === "admin" ? "admin" : "search",
          only_writes: spec.role === "write" ? 1 : 0,
          operates: spec.role === "operator" ? 1 : 0,
          name: spec.name ?? "",
          hint: text.slice(-HINT_CHARS),
          key_type: keyType,
          scope: scopeText(scope),
          principals: principals === null || principals.length === 0 ? null : JSON.stringify(principals),
          acts_for_people: actsForPeople,
          projects: projects.length === 0 ? null : JSON.stringify(projects),
          credit_limit: creditLimit?.credits ?? null,
          limit_per: creditLimit?.per ?? "month",
          rate_limits: rateLimits === null ? null : rateLimitsText(rateLimits),
          may_make_keys: (spec.mayMakeKeys ?? spec.role === "admin") ? 1 : 0,
          expires_at: spec.expiresAt?.toISOString() ?? null,
          made_by: spec.madeBy ?? null,
          generation: spec.generation ?? null,
        })
        .execute()
      return text
    },
    async hasRoom(maker, count, size) {
      const { entries, bytes } = await stored.ofKey(maker)
      return entries + count <= keysPerKey && bytes + count * size <= MOST_BYTES
    },
    async prune(time, count) {
      const before = new Date(time).toISOString()
      const gone = await queries
        .selectFrom("api_keys")
        .select(["id", "made_by", "credit_limit"])
        .where("made_by", "is not", null)
        .where((eb) => eb.or([eb("disabled_at", "<", before), eb("expires_at", "<", before)]))
        // Keys made this month are kept, because their credits count toward their maker's limit if it is monthly.
        .where("created_at", "<", now().slice(0, 7))
        .limit(count)
        .execute()
      for (const row of gone) await remove(row)
      return gone.length
    },
    stored,
    list: async () => (await keys.execute()).map(keyOf),
    disable: (id) => update(id, { disabled_at: sql<string>`coalesce(disabled_at, ${now()})` }),
    enable: (id) => update(id, { disabled_at: null }),
    endBy: (id, time) => {
      const end = sql<string>`${time.toISOString()}`
      return update(id, { expires_at: lesser(sql<string>`coalesce(expires_at, ${end})`, end) })
    },
    async delete(id) {
      const row = await byId.get(db, { id })
      if (row !== undefined) await remove(row)
      return row !== undefined
    },
    validOf: async (generation, madeBy) =>
      (await keys.where(isOf(generation, madeBy)).where(isValidNow()).execute()).map(keyOf),
    async disableGeneration(generation, madeBy) {
      const ofMaker = isOf(generation, madeBy)
      if (!(await keys.where(ofMaker).limit(1).executeTakeFirst())) return null
      const disabled = queries.updateTable("api_keys").set({ disabled_at: now() }).where(ofMaker)
      return Number((await disabled.where(isValidNow()).executeTakeFirst()).numUpdatedRows)
    },
    async handedOut({ id, creditLimit }) {
      const isMonthly = creditLimit?.per === "month"
      const sum = await handedOutSince.get(db, { maker: id, since: isMonthly ? now().slice(0, 7) : "" })
      const before = isMonthly ? undefined : await byId.get(db, { id })
      return (sum?.credits ?? 0) + (before?.handed_out_before ?? 0)
    },
    any: async () =>
      operator !== null ||
      (await queries.selectFrom("api_keys").select("id").where(isValidNow()).limit(1).executeTakeFirst()) !==
        undefined,
  }
}

function keyOf(row: KeyRow): MadeKey {
  const role = row.only_writes === 1 ? "write" : row.operates === 1 ? "operator" : row.role
  const principals = JSON.parse(row.principals ?? "[]") as Principal[]
  const date = (text: string | null) => (text === null ? null : new Date(text))
  const makes = row.may_make_keys === 1
  return {
    id: row.id,
    role,
    hint: row.hint,
    scope: scopeOfText(row.scope),
    principals: role === "admin" ? null : principals,
    actsForPeople: row.acts_for_people,
    onBehalf: null,
    projects: row.projects === null ? [] : (JSON.parse(row.projects) as string[]),
    creditLimit: row.credit_limit === null ? null : { credits: row.credit_limit, per: row.limit_per },
    rateLimits: row.rate_limits === null ? null : parseRateLimits(row.rate_limits),
    mayMakeKeys: makes,
    mayEndItself: makes || row.made_by !== null,
    expiresAt: date(row.expires_at),
    name: row.name,
    keyType: row.key_type,
    createdAt: new Date(row.created_at),
    disabledAt: date(row.disabled_at),
    madeBy: row.made_by,
  }
}

export const isOver = ({ expiresAt }: Pick<ApiKey, "expiresAt">): boolean =>
  expiresAt !== null && expiresAt.getTime() <= Date.now()

export const isValid = (key: MadeKey): boolean => key.disabledAt === null && !isOver(key)

const now = (): string => new Date().toISOString()

const digest = (key: string): Buffer => createHash("sha256").update(key).digest()
