import type { Logger } from "pino"

import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import type { AddressGuardOptions } from "#crawler/fetch/guard/address-guard.ts"

/** The person a provider vouches for, as of now. */
export interface Vouched {
  /** Identifies the person at this provider, which never gives the same identifier to another person. */
  readonly subject: string
  /**
   * A name for the person that lists of readers may use, such as an e-mail address the provider has verified; null if
   * it vouches for no such name.
   */
  readonly user: string | null
  /** For display; empty if not known. */
  readonly name: string
  /** For display; empty if not known. */
  readonly email: string
  /** The provider's names for the groups. */
  readonly groups: readonly string[]
  /** Identifies the session at the provider, which may end ours by this id; null if unknown. */
  readonly providerSession: string | null
  /** When the session at the provider ends, and ours with it, in milliseconds since 1970; null or left out if not known. */
  readonly endsAt?: number | null
  /** Used to ask the provider whether it still vouches for the person; null if it can't be asked. Stored sealed. */
  readonly refresh: string | null
  /** Data the provider needs when the person signs out there; null if none. Stored sealed. */
  readonly signOutHint: string | null
}

/** Data stored about a sign-in, for the provider that vouched. */
export type Held = Pick<Vouched, "subject" | "providerSession" | "refresh" | "signOutHint">

/** A call from a browser on its way to a provider, or back. */
export interface Arriving {
  readonly query: URLSearchParams
  /** The form of a POST; null for a GET. */
  readonly form: URLSearchParams | null
  /** Value of a request header; empty if it wasn't sent. */
  readonly header: (name: string) => string
  /** IP address at the other end of the connection, regardless of headers. */
  readonly peer: string
  /** Absolute address of `/sign-on/NAME/callback`, to which the browser returns. */
  readonly callback: string
}

/** The result when the browser has to go to the provider. */
export interface Departure {
  readonly url: string
  /** The input of {@link Provider.finish}, stored sealed in a cookie in this browser; two thousand characters at most. */
  readonly remember: string
}

/** The sessions that a provider ended: one session there, or all sessions of a person. */
export type LoggedOut = (
  | { readonly providerSession: string; readonly subject: string | null }
  | { readonly providerSession: null; readonly subject: string }
) & {
  /** Where the browser that brought the message goes next; null or left out if the provider sent it itself. */
  readonly answerUrl?: string | null
}

/** Information about a request's origin, which every request contains. */
export interface Carried {
  /** IP address at the other end of the connection. */
  readonly peer: string
  /** Alternating names and values, as sent: Node's `headers` joins repeated ones. */
  readonly rawHeaders: readonly string[]
}

/** The facts in a provider's token that a service passes on. */
export interface ForwardedToken {
  readonly vouched: Vouched
  /** Whether the token contains everything that a sign-in would: the user name, and the groups. */
  readonly isComplete: boolean
  readonly issuedAt: Date
}

/** Identity provider, as implemented by one of the kinds (`oidc`, `saml`, `headers`). */
export interface Provider extends AsyncDisposable {
  /** Sends the browser to the provider, or vouches immediately if the request itself is the proof. @throws SignOnError, ProviderAwayError */
  begin(arriving: Arriving): Promise<Departure | { readonly vouched: Vouched }>
  /**
   * The user who returned.
   * @param remembered the data that {@link begin} stored in this same browser
   * @throws SignOnError, ProviderAwayError
   */
  finish(arriving: Arriving, remembered: string): Promise<Vouched>
  /** Asks the provider again; call it only if `refresh` isn't null. @returns null when the provider no longer vouches for the person. @throws ProviderAwayError */
  renew?(held: Held): Promise<Vouched | null>
  /** Address where the person signs out at the provider and then returns to `back`, or null. */
  signOut?(held: Held, back: string): Promise<string | null>
  /**
   * The facts in a token that was issued to a service, and that the service passes on.
   * @param issuer as named in the token, not checked yet
   * @returns null if the token has another issuer, or if service tokens aren't accepted
   * @throws SignOnError, ProviderAwayError
   */
  forwarded?(token: string, issuer: string): Promise<ForwardedToken | null>
  /**
   * The sessions ended by a message from the provider itself (OIDC Back-Channel Logout 1.0, SAML 2.0 Single Logout).
   * @param callback as in {@link Arriving}
   * @throws SignOnError, ProviderAwayError
   */
  loggedOut?(message: URLSearchParams, callback: string): Promise<LoggedOut>
  /** The facts about this appliance that the provider needs, as XML. @param callback as in {@link Arriving} */
  metadata?(callback: string): string
  /**
   * The person this provider vouches for with each of their requests, without a session. Such a provider has no sign-in
   * page.
   * @returns null if it vouches for no one
   * @throws SignOnError for an ambiguous request
   */
  recognise?(carried: Carried): Vouched | null
}

/** The arguments a kind uses to open a provider. */
export interface ProviderParts {
  readonly proxy: ProxySettings
  readonly userAgent: string
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
  /**
   * Whether a one-time proof, such as an assertion, is presented for the first time, in any process.
   * @param until when the proof expires, in milliseconds since 1970
   */
  readonly isFirst: (id: string, until: number) => Promise<boolean>
  /** For tests: overrides of the guard's options. */
  readonly guard?: Partial<AddressGuardOptions>
}

/** A provider as the operator declared it. */
export interface ProviderSpec<Own = unknown> {
  /** The provider's name, used in paths and as a prefix of subjects. Never change it: the provider's people would become different people. */
  readonly name: string
  readonly kind: string
  /** Label of the sign-in button. */
  readonly title: string
  /** Prefix of each user name, so that no user of another provider has the same name. */
  readonly userPrefix: string
  /** Domains of the only e-mail addresses that this provider vouches for; no other provider vouches for these. Null for any. */
  readonly userDomains: readonly string[] | null
  /** Prefix of each group name. */
  readonly groupPrefix: string
  /** The fields specific to its kind. */
  readonly own: Own
}

/** Helpers for reading a provider's fields. */
export interface Reading {
  readonly env: NodeJS.ProcessEnv
  /** The result of `read`; or undefined, with the error's message recorded as a problem with the field. */
  readonly tried: <T>(field: string, read: () => T) => T | undefined
}

/** A kind of provider: a folder, and a line in `kinds.ts`. */
export interface ProviderKind<Own> {
  readonly kind: string
  /** Its own fields in `sign-on.yaml`, as the `properties` and `required` of a JSON Schema. */
  readonly fields: { readonly properties: object; readonly required: readonly string[] }
  /** Checks the fields and resolves secrets. The fields already fit the schema, and defaults are filled in. */
  read(written: never, reading: Reading): Own
  /** Loads the code that talks to the provider. */
  open(spec: ProviderSpec<Own>, parts: ProviderParts): Promise<Provider>
}

/** A refused sign-in: the message is for the person, and reveals nothing about the network. */
export class SignOnError extends Error {
  /** The text for the log. */
  readonly detail: string

  constructor(message: string, detail = message) {
    super(message)
    this.detail = detail
  }
}

/** An error that means that the provider can't be asked now. */
export class ProviderAwayError extends SignOnError {
  constructor(detail: string) {
    super("The page that signs you in can't be reached. Try again in a moment.", detail)
  }
}
