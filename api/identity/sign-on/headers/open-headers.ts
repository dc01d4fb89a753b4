import { proxyTest } from "../../../server/proxies/trusted-proxies.ts"
import { type Carried, type Provider, type ProviderSpec, SignOnError, type Vouched } from "../provider.ts"
import type { HeadersSpec } from "./spec.ts"

/** Trusts a proxy, which has its own page to sign in and out. */
export function openHeaders(spec: ProviderSpec<HeadersSpec>): Provider {
  const elsewhere = async (): Promise<never> => {
    throw new SignOnError(
      "The proxy in front of this search engine signs you in. Open the search engine at the proxy's address.",
    )
  }
  return {
    recognise: readerOf(spec.own),
    begin: elsewhere,
    finish: elsewhere,
    [Symbol.asyncDispose]: async () => {},
  }
}

const UNFIT =
  "The proxy in front of this search engine sent headers about you that can't be used. Ask its operator."

/**
 * Determines the user that a proxy vouches for.
 *
 * @returns null for a request that comes from elsewhere, or that names no user
 * @throws SignOnError for ambiguous headers from the proxy
 */
function readerOf(spec: HeadersSpec): (carried: Carried) => Vouched | null {
  const isProxy = proxyTest(spec.addresses)
  return ({ peer, rawHeaders }) => {
    if (!isProxy(peer)) return null
    const valueOf = (name: string): string => {
      const wanted = name.toLowerCase()
      const values = rawHeaders.filter(
        (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === wanted,
      )
      // The proxy added its own header to one forged by a browser.
      if (values.length > 1)
        throw new SignOnError(UNFIT, `the header ${name} was sent ${values.length} times`)
      return textOf(values[0] ?? "", name)
    }
    const user = valueOf(spec.userHeader)
    // Groups are read even if there is no user, so that forged headers are noticed.
    const groups = valueOf(spec.groupsHeader)
      .split(spec.groupsSeparator)
      .map((group) => group.trim())
      .filter((group) => group !== "")
    if (user === "") return null
    return {
      subject: user,
      user,
      name: valueOf(spec.nameHeader),
      email: valueOf(spec.emailHeader),
      groups,
      providerSession: null,
      refresh: null,
      signOutHint: null,
    }
  }
}

/** Node reads each byte of a header as a character; proxies write UTF-8. */
function textOf(value: string, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "latin1")).trim()
  } catch {
    throw new SignOnError(UNFIT, `the header ${name} is not UTF-8`)
  }
}
