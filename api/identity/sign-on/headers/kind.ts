import { checkProxies } from "../../../server/proxies/trusted-proxies.ts"
import type { ProviderKind } from "../provider.ts"
import type { HeadersSpec } from "./spec.ts"

const header = { type: "string", pattern: "^[A-Za-z0-9-]{1,100}$" } as const

/** A trusted proxy that sends headers, such as Authelia, authentik or oauth2-proxy. */
export const headers: ProviderKind<HeadersSpec> = {
  kind: "headers",
  fields: {
    required: ["addresses"],
    properties: {
      addresses: {
        description:
          "IP addresses, or ranges such as 10.0.0.0/24, that the proxy calls from; headers from elsewhere are ignored.",
        type: "array",
        minItems: 1,
        maxItems: 64,
        items: { type: "string", minLength: 1 },
      },
      userHeader: { ...header, description: "Header with the name of the user.", default: "Remote-User" },
      groupsHeader: { ...header, description: "Header with the person's groups.", default: "Remote-Groups" },
      groupsSeparator: {
        description: "Separator between two groups.",
        type: "string",
        minLength: 1,
        maxLength: 3,
        default: ",",
      },
      nameHeader: {
        ...header,
        description: "Header with the display name.",
        default: "Remote-Name",
      },
      emailHeader: { ...header, description: "Header with the e-mail address.", default: "Remote-Email" },
    },
  },
  read(written: HeadersSpec, { tried }) {
    tried("addresses", () => checkAddresses(written.addresses))
    const { addresses, userHeader, groupsHeader, groupsSeparator, nameHeader, emailHeader } = written
    return { addresses, userHeader, groupsHeader, groupsSeparator, nameHeader, emailHeader }
  },
  async open(spec) {
    const { openHeaders } = await import("./open-headers.ts")
    return openHeaders(spec)
  },
}

function checkAddresses(addresses: readonly string[]): void {
  checkProxies(addresses)
  const all = addresses.find((one) => /\/0+$/.test(one))
  if (all !== undefined) throw new Error(`must not have ${all}: anyone could sign in as anyone`)
}
