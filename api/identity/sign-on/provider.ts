import type { Logger } from "pino"

import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import type { AddressGuardOptions } from "#crawler/fetch/guard/address-guard.ts"

/** The person a provider vouches for, as of now. */
export interface Vouched {
  /** Identifies the person at this provider, which never gives it to another one. */
  readonly subject: string
  /**
   * A name for the person that readers may use, such as an e-mail address the provider has verified; null: it vouches
   * for no such name.
   */
  readonly user: string | null
  /** For people to read; empty: not known. */
  readonly name: string
  /** For people to read; empty: not known. */
  readonly email: string
  /** As the provider names them. */
  readonly groups: readonly string[]
  /** Names the session at the provider, which may end ours by it; null: not known. */
  readonly providerSession: string | null
  /** When the session at the provider ends, and ours with it, in milliseconds since 1970; null or left out: not known. */
  readonly endsAt?: number | null
  /** Used to ask the provider again whether it still vouches; null: it can't be asked. Stored sealed. */
  readonly refresh: string | null
  /** What the provider needs when the person signs out there; null: nothing. Stored sealed. */
  readonly signOutHint: string | null
}

/** What is stored about a sign-in, for the provider that vouched. */
export type Held = Pick<Vouched, "subject" | "providerSession" | "refresh" | "signOutHint">

/** A call of a browser that is on its way to a provider, or back. */
export interface Arriving {
  readonly query: URLSearchParams
  /** The form of a POST; null for a GET. */
  readonly form: URLSearchParams | null
  /** Value of a header of the request; empty when it wasn't sent. */
  readonly header: (name: string) => string
  /** IP address at the other end of the connection, regardless of headers. */
  readonly peer: string
  /** Absolute address of `/sign-on/NAME/callback`, where the browser comes back to. */
  readonly callback: string
}

/** The browser leaves for the provider. */
export interface Departure {
  readonly url: string
  /** The input of {@link Provider.finish}: sealed in a cookie of this browser, two thousand characters at most. */
  readonly remember: string
}

/** Whose sessions a provider ended: of one session there, or all of a person. */
export type LoggedOut = (
  | { readonly providerSession: string; readonly subject: string | null }
  | { readonly providerSession: null; readonly subject: string }
) & {
  /** Where the browser that brought the message goes next; null or left out: the provider sent it itself. */
  readonly answerUrl?: string | null
}

/** What any request says about its origin. */
export interface Carried {
  /** IP address at the other end of the connection. */
  readonly peer: string
  /** Names and values in turn, as sent: Node's `headers` joins repeated ones. */
  readonly rawHeaders: readonly string[]
}

/** The facts in a provider's token that a service passes on. */
export interface ForwardedToken {
  readonly vouched: Vouched
  /** Whether it contains all that a sign-in would: the user name, and the groups. */
  readonly isComplete: boolean
  readonly issuedAt: Date
}

/** Identity provider, as one kind of them (`oidc`, `saml`, `headers`) implements it. */
export interface Provider extends AsyncDisposable {
  /** Sends the browser to the provider; or vouches at once, where the request itself is the proof. @throws SignOnError, ProviderAwayError */
  begin(arriving: Arriving): Promise<Departure | { readonly vouched: Vouched }>
  /**
   * The user who came back.
   * @param remembered the data {@link begin} stored in this very browser
   * @throws SignOnError, ProviderAwayError
   */
  finish(arriving: Arriving, remembered: string): Promise<Vouched>
  /** Asks again, where `refresh` isn't null. @returns null when the provider no longer vouches. @throws ProviderAwayError */
  renew?(held: Held): Promise<Vouched | null>
  /** Address where the person signs out at the provider and comes back to `back`; null: there is none. */
  signOut?(held: Held, back: string): Promise<string | null>
  /**
   * The facts in a token that was made for a service, and that the service passes on.
   * @param issuer as the token names it, not checked yet
   * @returns null: the issuer is another one, or no tokens of services are accepted
   * @throws SignOnError, ProviderAwayError
   */
  forwarded?(token: string, issuer: string): Promise<ForwardedToken | null>
  /**
   * Whose sessions a message of the provider itself ends (OIDC Back-Channel Logout 1.0, SAML 2.0 Single Logout).
   * @param callback as in {@link Arriving}
   * @throws SignOnError, ProviderAwayError
   */
  loggedOut?(message: URLSearchParams, callback: string): Promise<LoggedOut>
  /** The facts about this appliance that the provider needs, as XML. @param callback as in {@link Arriving} */
  metadata?(callback: string): string
  /**
   * The person this provider vouches for with each of their requests, without a session. Such a provider has no page to
   * sign in on.
   * @returns null: for no one
   * @throws SignOnError for an ambiguous request
   */
  recognise?(carried: Carried): Vouched | null
}

/** The arguments a kind opens a provider with. */
export interface ProviderParts {
  readonly proxy: ProxySettings
  readonly userAgent: string
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
  /**
   * Whether a one-time proof, such as an assertion, is shown for the first time, in any process.
   * @param until when it expires anyway, in milliseconds since 1970
   */
  readonly isFirst: (id: string, until: number) => Promise<boolean>
  /** For tests: how the guard differs. */
  readonly guard?: Partial<AddressGuardOptions>
}

/** A provider as the operator declared it. */
export interface ProviderSpec<Own = unknown> {
  /** In paths, and before subjects: never changed, or its people are others. */
  readonly name: string
  readonly kind: string
  /** On the button. */
  readonly title: string
  /** Put before each user, so that no user of another provider is the same. */
  readonly userPrefix: string
  /** It vouches for e-mail addresses of these domains and no others, and no other provider does; null: any. */
  readonly userDomains: readonly string[] | null
  /** Put before each group. */
  readonly groupPrefix: string
  /** The fields of its kind. */
  readonly own: Own
}

/** While the fields of a provider are read. */
export interface Reading {
  readonly env: NodeJS.ProcessEnv
  /** The result of `read`; or undefined, with the error's message noted as a problem of the field. */
  readonly tried: <T>(field: string, read: () => T) => T | undefined
}

/** A kind of providers: a folder, and a line in `kinds.ts`. */
export interface ProviderKind<Own> {
  readonly kind: string
  /** Its own fields in `sign-on.yaml`, as the `properties` and `required` of a JSON Schema. */
  readonly fields: { readonly properties: object; readonly required: readonly string[] }
  /** Checks them and resolves secrets. The fields fit the schema, defaults are filled in. */
  read(written: never, reading: Reading): Own
  /** Loads the code that talks to the provider. */
  open(spec: ProviderSpec<Own>, parts: ProviderParts): Promise<Provider>
}

/** A refused sign-in: the message is for the person, and reveals nothing about the network. */
export class SignOnError extends Error {
  /** For the log. */
  readonly detail: string

  constructor(message: string, detail = message) {
    super(message)
    this.detail = detail
  }
}

/** The provider can't be asked now. */
export class ProviderAwayError extends SignOnError {
  constructor(detail: string) {
    super("The page that signs you in can't be reached. Try again in a moment.", detail)
  }
}
