import { randomBytes } from "node:crypto"
import { SAML, ValidateInResponseTo } from "@node-saml/node-saml"
import { type Assertion, readAssertion } from "./assertion.ts"
import type { IdentityProvider } from "./identity-provider-metadata.ts"
import { checkMessage } from "./message.ts"

/** The facts about this appliance that an identity provider needs. */
export interface ServiceProviderNames {
  /** The provider's name for this appliance, which is the audience of assertions. */
  readonly entityId: string
  /** Address to which SAML responses are posted. */
  readonly answerUrl: string
  /** Where requests to sign users out are posted. */
  readonly signOutUrl: string
}

/** A provider's request to sign a user out. */
export interface SignOutRequest {
  readonly nameId: string
  /** The session; null for all sessions. */
  readonly sessionIndex: string | null
  /** Where the browser that delivered the request takes the answer; null if the provider has no such address. */
  readonly answerUrl: string | null
}

/** Permitted clock difference in milliseconds. */
const SKEW_MS = 30_000
/**
 * Maximum age of an accepted assertion, whatever its own times say: each is remembered until it can no longer be used.
 */
export const MOST_AGE_MS = 600_000

/**
 * This appliance as a SAML 2.0 service provider: the Web Browser SSO Profile (Profiles for SAML 2.0, section 4.1),
 * started here with HTTP-Redirect and answered with HTTP-POST.
 */
export class ServiceProvider {
  readonly #names: ServiceProviderNames

  constructor(names: ServiceProviderNames) {
    this.#names = names
  }

  /** The address that asks a provider to sign a user in, and the request's identifier, which the response has to name. */
  async signIn(provider: IdentityProvider): Promise<{ readonly url: string; readonly requestId: string }> {
    // An identifier begins with a letter or underscore (XML Schema, NCName).
    const requestId = `_${randomBytes(20).toString("hex")}`
    const url = await this.#saml(provider, { requestId }).getAuthorizeUrlAsync("", undefined, {})
    return { url, requestId }
  }

  /**
   * Reads a posted SAML response. It must contain one assertion, signed by the provider, addressed to this appliance
   * and valid now. The caller has to check whether the same browser made the request, and whether the assertion was
   * used before.
   *
   * @param response the Base64 value of the form field `SAMLResponse`
   * @throws Error saying what is wrong
   */
  async accept(provider: IdentityProvider, response: string): Promise<Assertion> {
    checkMessage(Buffer.from(response, "base64"))
    const { profile } = await this.#saml(provider).validatePostResponseAsync({ SAMLResponse: response })
    const signed = profile?.getAssertion?.()
    if (signed === undefined) throw new Error("The answer has no assertion.")
    return readAssertion(signed, {
      issuer: provider.entityId,
      recipient: this.#names.answerUrl,
      now: Date.now(),
    })
  }

  /**
   * Reads a posted request to sign a user out, signed by the provider.
   *
   * @param request the Base64 value of the form field `SAMLRequest`
   * @throws Error saying what is wrong
   */
  async acceptSignOut(
    provider: IdentityProvider,
    request: string,
    relayState: string,
  ): Promise<SignOutRequest> {
    const { Destination } = checkMessage(Buffer.from(request, "base64"))
    // Without this check, another program could pass on a message that it received.
    if (Destination !== this.#names.signOutUrl) throw new Error("The request is meant for another program.")
    const saml = this.#saml(provider)
    const { profile } = await saml.validatePostRequestAsync({ SAMLRequest: request })
    const answerUrl =
      provider.signOutUrl && (await saml.getLogoutResponseUrlAsync(profile, relayState, {}, true))
    return { nameId: profile.nameID, sessionIndex: profile.sessionIndex ?? null, answerUrl }
  }

  /** The facts about this appliance that a provider needs, as XML (Metadata for SAML 2.0, section 2.4.4). */
  metadata(): string {
    // The library always requires a provider, but nothing about it appears in the metadata.
    const nobody = {
      entityId: "none",
      signInUrl: "https://none.invalid/",
      signOutUrl: null,
      certificates: ["AA=="],
    }
    return this.#saml(nobody).generateServiceProviderMetadata(null)
  }

  #saml(provider: IdentityProvider, { requestId }: { readonly requestId?: string } = {}): SAML {
    const { entityId, answerUrl, signOutUrl } = this.#names
    return new SAML({
      issuer: entityId,
      audience: entityId,
      callbackUrl: answerUrl,
      logoutCallbackUrl: signOutUrl,
      idpIssuer: provider.entityId,
      idpCert: [...provider.certificates],
      entryPoint: provider.signInUrl,
      logoutUrl: provider.signOutUrl ?? provider.signInUrl,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: SKEW_MS,
      maxAssertionAgeMs: MOST_AGE_MS,
      // The provider decides how users sign in and how they are named.
      disableRequestedAuthnContext: true,
      identifierFormat: null,
      // Without this, the library doesn't check the subject confirmation. Only the browser's cookie says which request
      // is expected.
      validateInResponseTo: ValidateInResponseTo.always,
      cacheProvider: ANY_REQUEST,
      ...(requestId !== undefined && { generateUniqueId: () => requestId }),
    })
  }
}

const ANY_REQUEST = {
  saveAsync: async () => null,
  getAsync: async () => new Date().toISOString(),
  removeAsync: async () => null,
}
