import { readFile } from "node:fs/promises"
import { KnownError } from "#base/errors.ts"

import { guardedFetch, type GuardedFetch } from "../guarded-fetch.ts"
import {
  type Arriving,
  type Departure,
  type LoggedOut,
  type Provider,
  ProviderAwayError,
  type ProviderParts,
  type ProviderSpec,
  SignOnError,
  type Vouched,
} from "../provider.ts"
import type { Assertion } from "./assertion.ts"
import { type IdentityProvider, readIdentityProvider } from "./identity-provider-metadata.ts"
import { MOST_AGE_MS, ServiceProvider, type ServiceProviderNames } from "./service-provider.ts"
import type { SamlSpec } from "./spec.ts"

/** A provider's metadata is reread after this time. */
const FRESH_MS = 3_600_000
/** Minimum time between rereads of the keys: a message signed with an unknown key makes the appliance reread them. */
const SOONEST_MS = 60_000

/** A SAML 2.0 provider. Its metadata is read at the first sign-in, so that an appliance can start without its provider. */
export function openSaml(spec: ProviderSpec<SamlSpec>, parts: ProviderParts): Provider {
  return new SamlProvider(spec, parts, guardedFetch(spec.name, spec.own, parts))
}

class SamlProvider implements Provider {
  readonly #spec: ProviderSpec<SamlSpec>
  readonly #parts: ProviderParts
  readonly #reached: GuardedFetch
  #known: { readonly provider: IdentityProvider; readonly at: number } | null = null
  #reading: Promise<IdentityProvider> | null = null

  constructor(spec: ProviderSpec<SamlSpec>, parts: ProviderParts, reached: GuardedFetch) {
    this.#spec = spec
    this.#parts = parts
    this.#reached = reached
  }

  async begin({ callback }: Arriving): Promise<Departure> {
    const { url, requestId } = await this.#appliance(callback).signIn(await this.#described())
    return { url, remember: requestId }
  }

  async finish({ form, callback }: Arriving, requestId: string): Promise<Vouched> {
    const response = form?.get("SAMLResponse") ?? ""
    const appliance = this.#appliance(callback)
    const assertion = await this.#signed((provider) => appliance.accept(provider, response))
    // Only the cookie proves that this browser began the sign-in: otherwise a page could sign the user in as another
    // person.
    if (assertion.requestId !== requestId)
      throw new SignOnError(
        "This is the answer to another sign-in. Start again.",
        "it answered another request",
      )
    if (!(await this.#parts.isFirst(`assertion ${assertion.id}`, Date.now() + 2 * MOST_AGE_MS)))
      throw new SignOnError("This sign-in was already used. Start again.", "an assertion was used twice")
    return this.#vouched(assertion)
  }

  async loggedOut(message: URLSearchParams, callback: string): Promise<LoggedOut> {
    const appliance = this.#appliance(callback)
    const request = message.get("SAMLRequest") ?? ""
    const relayState = message.get("RelayState") ?? ""
    const { nameId, sessionIndex, answerUrl } = await this.#signed((provider) =>
      appliance.acceptSignOut(provider, request, relayState),
    )
    const isSubject = this.#spec.own.subjectAttribute === null
    if (sessionIndex !== null)
      return { providerSession: sessionIndex, subject: isSubject ? nameId : null, answerUrl }
    if (isSubject) return { providerSession: null, subject: nameId, answerUrl }
    throw new SignOnError(
      UNFIT,
      "a request to sign a person out contains no session, and people are identified by an attribute",
    )
  }

  metadata(callback: string): string {
    return this.#appliance(callback).metadata()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reached[Symbol.asyncDispose]()
  }

  #appliance(callback: string): ServiceProvider {
    const names = namesAt(callback)
    return new ServiceProvider({ ...names, entityId: this.#spec.own.entityId ?? names.entityId })
  }

  #vouched({ nameId, isTransient, sessionIndex, sessionEndsAt, attributes }: Assertion): Vouched {
    const { subjectAttribute, userAttribute, nameAttribute, emailAttribute, groupsAttribute } = this.#spec.own
    const first = (name: string): string => attributes.get(name)?.[0] ?? ""
    if (attributes.has(GROUPS_ELSEWHERE))
      throw new SignOnError(
        "You are in more groups than your account lists. Ask the operator of this search engine.",
        "the groups were left out because there are too many (groups.link)",
      )
    const subject = subjectAttribute === null ? nameId : first(subjectAttribute)
    if (subject === "") throw new SignOnError(UNFIT, `the attribute ${subjectAttribute} is missing`)
    if (isTransient && subjectAttribute === null)
      throw new SignOnError(
        UNFIT,
        "it gives people a new name with every sign-in (a transient NameID): choose another format there, or set subjectAttribute",
      )
    const user = userAttribute === null ? (isTransient ? "" : nameId) : first(userAttribute)
    return {
      subject,
      user: user === "" ? null : user,
      name: first(nameAttribute),
      email: first(emailAttribute),
      groups: attributes.get(groupsAttribute) ?? [],
      providerSession: sessionIndex,
      endsAt: sessionEndsAt,
      refresh: null,
      signOutHint: null,
    }
  }

  /** The part the provider signed. When a provider has a new key, its metadata is fetched again. */
  async #signed<T>(accept: (provider: IdentityProvider) => Promise<T>): Promise<T> {
    const provider = await this.#described()
    try {
      return await accept(provider)
    } catch (error) {
      const isOld = this.#known !== null && Math.abs(Date.now() - this.#known.at) > SOONEST_MS
      const again = isOld ? await this.#described(SOONEST_MS) : provider
      if (again.certificates.join() === provider.certificates.join()) throw unfit(error)
      return await accept(again).catch((reason: unknown) => {
        throw unfit(reason)
      })
    }
  }

  /** Concurrent callers share one request. Metadata that can't be reread stays in use. */
  async #described(freshMs = FRESH_MS): Promise<IdentityProvider> {
    const { described } = this.#spec.own
    if (described.kind === "written") return described.provider
    const known = this.#known
    if (known !== null && Math.abs(Date.now() - known.at) < freshMs) return known.provider
    this.#reading ??= this.#read(described).finally(() => (this.#reading = null))
    try {
      const provider = await this.#reading
      this.#known = { provider, at: Date.now() }
      return provider
    } catch (error) {
      if (known === null) throw error
      return known.provider
    }
  }

  async #read(described: Exclude<SamlSpec["described"], { kind: "written" }>): Promise<IdentityProvider> {
    try {
      if (described.kind === "file") return readIdentityProvider(await readFile(described.path))
      const headers = { accept: "application/samlmetadata+xml, application/xml;q=0.9" }
      const answer = await this.#reached.fetch(described.url, { method: "GET", headers })
      if (answer.status !== 200) throw new KnownError(`it answered ${answer.status}`)
      return readIdentityProvider(await answer.bytes())
    } catch (error) {
      if (error instanceof ProviderAwayError) throw error
      throw new ProviderAwayError(`its metadata can't be read: ${(error as Error).message}`)
    }
  }
}

/** For people in more than 150 groups, Microsoft Entra omits the groups and sends an address where they are listed. */
const GROUPS_ELSEWHERE = "http://schemas.microsoft.com/claims/groups.link"

const UNFIT =
  "The page that signs you in gave an answer that can't be used. Ask the operator of this search engine."

/** The library has no error class of its own, so all of its errors are treated as refusals. */
const unfit = (error: unknown): SignOnError =>
  error instanceof SignOnError ? error : new SignOnError(UNFIT, (error as Error).message)

/** Our addresses, which are siblings of the one to which the browser returns. */
function namesAt(callback: string): ServiceProviderNames {
  const at = (name: string) => callback.replace(/[^/]*$/, name)
  return { entityId: at("metadata"), answerUrl: callback, signOutUrl: at("logout") }
}
