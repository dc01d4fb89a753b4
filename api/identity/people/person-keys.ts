import { type ApiKey, apiKey } from "../accounts/keys/keys.ts"
import { isPersonId, type Person, type PersonStore } from "./person-store.ts"
import { type ProofAge, proofAge, type ProofLimits } from "./proof-age.ts"
import { normalRules, principalsOf, rightsOf, type RoleRule } from "./roles.ts"

/** The information that decides what people may do. */
export interface PeopleRules extends ProofLimits {
  readonly roles: readonly RoleRule[]
  /** Names of the providers that may vouch. */
  readonly providers: readonly string[]
}

/** `vouched`: the provider still vouches for the person; `gone`: no provider does; `away`: the provider can't be asked. */
export type Renewal = "vouched" | "gone" | "away"

/** Treats people as keys: code that stores a key's id can later find out what the person may do at that time. */
export class PersonKeys {
  /** Asks a person's provider again, and stores the result. Set once sign-on is open. */
  renew: (person: Person) => Promise<Renewal> = async () => "away"
  readonly #people: Pick<PersonStore, "get">
  readonly #rules: PeopleRules

  constructor(people: Pick<PersonStore, "get">, rules: PeopleRules) {
    this.#people = people
    this.#rules = { ...rules, roles: normalRules(rules.roles) }
  }

  readonly owns = isPersonId

  /** What the person with this id may do now; null if they may do nothing. */
  async byId(id: string): Promise<ApiKey | null> {
    const person = await this.#known(id)
    if (person === null) return null
    const age = proofAge(person, this.#rules)
    if (age === "fresh") return this.keyOf(person)
    const renewal = person.isRenewable ? await this.renew(person) : "gone"
    if (renewal === "gone" || (renewal === "away" && age === "over")) return null
    const now = await this.#known(id)
    return now && this.keyOf(now)
  }

  /** What the person with this id may search and read now, without rights as an administrator; null if they may read nothing. */
  async readerOf(id: string): Promise<ApiKey | null> {
    const [key, person] = [await this.byId(id), await this.#known(id)]
    return key && person && { ...key, role: "search", mayMakeKeys: false, principals: principalsOf(person) }
  }

  /** User name; empty if there is no such person. */
  async nameOf(id: string): Promise<string> {
    return (await this.#people.get(id))?.user ?? ""
  }

  /** What a person may do if the stored facts are valid; or the reason why they may do nothing, which no later answer from their provider changes. */
  standingOf(person: Person): ApiKey | "disabled" | "provider" | "role" {
    if (person.disabledAt !== null) return "disabled"
    if (!this.#rules.providers.includes(person.provider)) return "provider"
    return this.keyOf(person) ?? "role"
  }

  /** Whether the stored facts about a person are still valid. */
  readonly proofAge = (person: Person): ProofAge => proofAge(person, this.#rules)

  /** What a person may do if the stored facts are valid; null for nothing, because no role matches. */
  keyOf({ id, user, groups }: Pick<Person, "id" | "user" | "groups">): ApiKey | null {
    const rights = rightsOf(this.#rules.roles, groups)
    if (rights === null) return null
    const { role, scope } = rights
    const principals = role === "admin" ? null : principalsOf({ user, groups })
    return apiKey({ id, role, scope, principals, mayEndItself: false })
  }

  async #known(id: string): Promise<Person | null> {
    const person = await this.#people.get(id)
    const mayEnter = person?.disabledAt === null && this.#rules.providers.includes(person.provider)
    return mayEnter ? person : null
  }
}
