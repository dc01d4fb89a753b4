import { mkdtempDisposable, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { describe, expect, test } from "vitest"

import { SettingsError } from "#base/settings.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"

import { openPeople } from "./declared.ts"
import { parseSignOn } from "./sign-on-file.ts"

const ENV = { OIDC_SECRET: "s3cr3t-of-the-client" }

const read = (text: string) => parseSignOn(text, "sign-on.yaml", ENV)

/** The problems reported for a file. */
function problems(text: string): readonly string[] {
  try {
    read(text)
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split("\n  - ").slice(1)
    throw error
  }
  return []
}

const COMPANY = `
  - name: company
    kind: oidc
    issuer: https://id.example.com/realms/main
    clientId: fossick
    clientSecret: \${OIDC_SECRET}`

const ROLES = `
roles:
  - groups: [search-admins]
    role: admin
  - signedIn: true
    role: reader
    collections: [intranet]
`

test("a file declares providers and what their people may do", () => {
  expect(read(`providers:${COMPANY}${ROLES}`)).toEqual({
    providers: [
      {
        name: "company",
        kind: "oidc",
        title: "company",
        userPrefix: "",
        userDomains: null,
        groupPrefix: "",
        own: {
          issuer: "https://id.example.com/realms/main",
          clientId: "fossick",
          clientSecret: "s3cr3t-of-the-client",
          scopes: ["openid", "profile", "email"],
          userClaim: null,
          groupsClaim: ["groups"],
          acceptsTokensFor: [],
          networks: [],
          caFile: null,
        },
      },
    ],
    roles: [
      { groups: ["search-admins"], role: "admin", sources: null, collections: null },
      { groups: null, role: "reader", sources: null, collections: ["intranet"] },
    ],
    sessionHours: null,
    refreshMinutes: 15,
    unrenewedHours: 8,
  })
})

test("rejects a file without providers", () => {
  expect(read(`providers: []${ROLES}`)).toBeNull()
})

describe("errors in a sign-on file", () => {
  test.each([
    ["", ["sign-on.yaml: the file lacks providers", "sign-on.yaml: the file lacks roles"]],
    [
      `providers: [{name: a, kind: ldap}]${ROLES}`,
      ["sign-on.yaml: providers[0].kind must be one of oidc, saml, headers"],
    ],
    [
      `providers: [{name: a, kind: oidc, issuer: "https://id.example", realm: x}]${ROLES}`,
      ["sign-on.yaml: providers[0] lacks clientId", "sign-on.yaml: providers[0] has the unknown field realm"],
    ],
    [
      `providers: [{name: a, kind: oidc, issuer: "http://id.example", clientId: f, clientSecret: "\${GONE}", networks: [nonsense/99]}]${ROLES}`,
      [
        "sign-on.yaml: providers[0].issuer must be an https address",
        "sign-on.yaml: providers[0].clientSecret the secret ${GONE} is not set in the environment",
        expect.stringContaining("sign-on.yaml: providers[0].networks "),
      ],
    ],
    [
      `providers: [{name: a, kind: oidc, issuer: "https://id.example", clientId: f, clientSecret: open-secret}]${ROLES}`,
      [
        "sign-on.yaml: providers[0].clientSecret must name a secret, not contain it: ${NAME} for an environment variable, or file:/path",
      ],
    ],
    [
      `providers:${COMPANY}\nroles: [{role: root, signedIn: true}]`,
      ["sign-on.yaml: roles[0].role must be one of reader, operator, admin"],
    ],
    [
      `providers:${COMPANY}\nroles: [{role: reader}, {role: admin, groups: [a], sources: [docs]}]`,
      [
        "sign-on.yaml: roles[0] must have either groups or signedIn",
        "sign-on.yaml: roles[1] must not have sources or collections: the role admin sees every source",
      ],
    ],
  ])("%s", (text, expected) => {
    expect(problems(text)).toEqual(expected)
  })

  test("include a second provider without settings that keep its names apart", () => {
    const partner = COMPANY.replace("company", "partner")
    expect(problems(`providers:${COMPANY}${partner}${ROLES}`)).toEqual([
      "sign-on.yaml: providers[1] must have userPrefix or userDomains: without either, it could vouch for people of company",
      "sign-on.yaml: providers[1] must have groupPrefix; an empty one means that its groups are the same as those of company",
    ])
    const apart = `${partner}\n    userDomains: [partner.example]\n    groupPrefix: ""`
    expect(problems(`providers:${COMPANY}${apart}${ROLES}`)).toEqual([])
    expect(problems(`providers:${COMPANY}${apart}${apart}${ROLES}`)).toEqual([
      "sign-on.yaml: providers[2].name appears twice",
      "sign-on.yaml: providers[2].userDomains has partner.example, which appears twice",
    ])
  })
})

test("requires a public address for people to return to", async () => {
  using db = emptyState()
  await using folder = await mkdtempDisposable(join(tmpdir(), "fossick-sign-on-"))
  const signOnFile = join(folder.path, "sign-on.yaml")
  await writeFile(signOnFile, `providers:${COMPANY}${ROLES}`)
  expect(() => openPeople(db, { signOnFile, publicUrl: "" }, ENV)).toThrow("FOSSICK_PUBLIC_URL must be set")
  const { declared } = openPeople(db, { signOnFile, publicUrl: "https://search.example.com" }, ENV)
  expect(declared?.spec.providers).toHaveLength(1)
  expect(openPeople(db, null, ENV).declared).toBeNull()
  expect(() => openPeople(db, { signOnFile: `${signOnFile}.gone`, publicUrl: "" }, ENV)).toThrow(
    "cannot read",
  )
})
