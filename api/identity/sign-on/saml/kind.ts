import { readFileSync } from "node:fs"

import type { ProviderKind } from "../provider.ts"
import { checkReach, REACH_FIELDS, type Reach } from "../reach-fields.ts"
import { certificateOf, readIdentityProvider } from "./identity-provider-metadata.ts"
import type { Described, SamlSpec } from "./spec.ts"

interface Written extends Partial<Reach> {
  readonly metadata?: string
  readonly providerId?: string
  readonly signInUrl?: string
  readonly certificate?: string
  readonly entityId?: string
  readonly subjectAttribute?: string
  readonly userAttribute?: string
  readonly nameAttribute: string
  readonly emailAttribute: string
  readonly groupsAttribute: string
}

const text = { type: "string", minLength: 1, maxLength: 2000 } as const

/** SAML 2.0. */
export const saml: ProviderKind<SamlSpec> = {
  kind: "saml",
  fields: {
    required: [],
    properties: {
      metadata: { ...text, description: "Address or file of the provider's metadata." },
      providerId: { ...text, description: "Entity ID of a provider without metadata." },
      signInUrl: {
        ...text,
        description: "HTTP-Redirect sign-in address of a provider without metadata.",
      },
      certificate: {
        ...text,
        description: "PEM file of the signing certificate of a provider without metadata.",
      },
      entityId: {
        ...text,
        description:
          "Entity ID of this appliance at the provider; by default the address of the appliance's metadata.",
      },
      subjectAttribute: {
        ...text,
        description: "Attribute that identifies a person permanently; by default the NameID.",
      },
      userAttribute: {
        ...text,
        description: "Attribute with the user name; by default the NameID.",
      },
      nameAttribute: {
        ...text,
        description: "Attribute with the display name.",
        default: "displayName",
      },
      emailAttribute: { ...text, description: "Attribute with the e-mail address.", default: "email" },
      groupsAttribute: { ...text, description: "Attribute with the groups.", default: "groups" },
      ...REACH_FIELDS,
    },
  },
  read(written: Written, { tried }) {
    const { entityId = null, subjectAttribute = null, userAttribute = null } = written
    const { nameAttribute, emailAttribute, groupsAttribute } = written
    return {
      // If a field was wrong, it has already been reported as a problem, and no provider is opened.
      described: tried("metadata", () => describedBy(written)) ?? { kind: "file", path: "" },
      entityId,
      subjectAttribute,
      userAttribute,
      nameAttribute,
      emailAttribute,
      groupsAttribute,
      ...checkReach(written, tried),
    }
  },
  async open(spec, parts) {
    const { openSaml } = await import("./open-saml.ts")
    return openSaml(spec, parts)
  },
}

function describedBy({ metadata, providerId, signInUrl, certificate }: Written): Described {
  if (metadata !== undefined) {
    if ((providerId ?? signInUrl ?? certificate) !== undefined)
      throw new Error("can't be combined with providerId, signInUrl and certificate: leave those out")
    if (/^https?:/i.test(metadata)) return { kind: "address", url: safeAddress(metadata) }
    readIdentityProvider(contentOf(metadata))
    return { kind: "file", path: metadata }
  }
  if (providerId === undefined || signInUrl === undefined || certificate === undefined)
    throw new Error("is missing; give it, or providerId, signInUrl and certificate instead")
  return {
    kind: "written",
    provider: {
      entityId: providerId,
      signInUrl: safeAddress(signInUrl),
      signOutUrl: null,
      certificates: [certificateOf(contentOf(certificate).toString())],
    },
  }
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw new Error(`names a file that can't be read (${file})`)
  }
}

/** Over plain HTTP, anyone along the route could vouch for anyone. */
function safeAddress(text: string): string {
  const url = URL.parse(text)
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url?.hostname ?? "")
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return url.href
  throw new Error("must be an https address")
}
