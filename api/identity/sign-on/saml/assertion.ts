/** A provider's assertion about a user who signed in. */
export interface Assertion {
  readonly id: string
  /** The id of the request that it answers. */
  readonly requestId: string
  readonly nameId: string
  /** Whether the provider gives the same person a new name with every sign-in. */
  readonly isTransient: boolean
  /** The session at the provider, for its requests to sign the user out; null if it names none. */
  readonly sessionIndex: string | null
  /** When the session at the provider ends, in milliseconds since 1970; null if the provider doesn't say. */
  readonly sessionEndsAt: number | null
  /** Values of attributes by their names, each in the provider's order. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"

/** An element as xml2js reads it: attributes in `$`, text in `_`, children by their local names. */
interface Element {
  readonly $?: Readonly<Record<string, string>>
  readonly _?: string
  readonly [child: string]: unknown
}

/**
 * Reads an assertion whose signature, audience and times the library has checked, and checks the rest: who issued it,
 * and that it was issued for the user who presents it (Profiles for SAML 2.0, section 4.1.4.2), for delivery here, in
 * answer to a request.
 *
 * @param signed the signed part, as xml2js reads it
 * @throws Error saying what is wrong
 */
export function readAssertion(
  signed: Readonly<Record<string, unknown>>,
  { issuer, recipient, now }: { readonly issuer: string; readonly recipient: string; readonly now: number },
): Assertion {
  const assertion = signed["Assertion"] as Element
  const id = assertion.$?.["ID"] ?? ""
  if (id === "" || assertion.$?.["Version"] !== "2.0")
    throw new Error("The assertion isn't a SAML 2.0 assertion.")
  if (textOf(only(assertion, "Issuer")) !== issuer)
    throw new Error("The assertion was issued by another provider.")
  const subject = only(assertion, "Subject")
  const confirmation = only(subject, "SubjectConfirmation")
  const { Recipient, InResponseTo, NotOnOrAfter } = only(confirmation, "SubjectConfirmationData").$ ?? {}
  if (confirmation.$?.["Method"] !== BEARER || Recipient !== recipient || NotOnOrAfter === undefined)
    throw new Error(`The assertion isn't meant for ${recipient}.`)
  if (InResponseTo === undefined)
    throw new Error(
      "The assertion doesn't answer a request: sign-ins have to start on a page of this appliance.",
    )
  const named = only(subject, "NameID")
  const nameId = textOf(named)
  if (nameId === "") throw new Error("The assertion doesn't name a person.")
  const { SessionIndex, SessionNotOnOrAfter } = only(assertion, "AuthnStatement").$ ?? {}
  const sessionEndsAt = SessionNotOnOrAfter === undefined ? null : Date.parse(SessionNotOnOrAfter)
  // NaN never compares as later.
  if (sessionEndsAt !== null && !(sessionEndsAt > now))
    throw new Error("The session at the provider has ended.")
  return {
    id,
    requestId: InResponseTo,
    nameId,
    isTransient: named.$?.["Format"] === TRANSIENT,
    sessionIndex: SessionIndex ?? null,
    sessionEndsAt,
    attributes: attributesOf(assertion),
  }
}

function attributesOf(assertion: Element): ReadonlyMap<string, readonly string[]> {
  const attributes = new Map<string, string[]>()
  for (const statement of childrenOf(assertion, "AttributeStatement"))
    for (const attribute of childrenOf(statement, "Attribute")) {
      const name = attribute.$?.["Name"] ?? ""
      const values = childrenOf(attribute, "AttributeValue").map(textOf)
      attributes.set(name, [...(attributes.get(name) ?? []), ...values.filter((value) => value !== "")])
    }
  return attributes
}

const childrenOf = (parent: Element, name: string): readonly Element[] =>
  Object.hasOwn(parent, name) ? (parent[name] as readonly Element[]) : []

function only(parent: Element, name: string): Element {
  const [child, ...others] = childrenOf(parent, name)
  if (child === undefined || others.length > 0)
    throw new Error(`The assertion must have exactly one ${name}.`)
  return child
}

/** An element without attributes and children may be just its text. */
const textOf = (element: Element | string): string =>
  (typeof element === "string" ? element : (element._ ?? "")).trim()
