import { pino } from "pino"

import { readSettings } from "#base/settings.ts"
import { freePort } from "#base/testing/free-port.ts"
import { crawlerSettings } from "#crawler/settings.ts"

import { serveAccounts, type ServedAccounts } from "../../../testing/serve-accounts.ts"
import { personKeysOf } from "../file/declared.ts"
import { parseSignOn } from "../file/sign-on-file.ts"
import { openSignOn, type SignOn } from "../sign-on.ts"
import { type IdentityProvider, startProvider } from "./identity-provider.ts"

/** An appliance whose people sign in with two providers. */
export interface Company extends AsyncDisposable {
  readonly app: ServedAccounts
  readonly company: IdentityProvider
  readonly partner: IdentityProvider
  /** Opens sign-on as another process on the same state would. */
  otherProcess(): Promise<SignOn>
  /** Ages every stored proof by this much time. */
  age(minutes: number): Promise<void>
}

const SECRET = "s3cr3t-of-the-client"

const ROLES = `
roles:
  - groups: [search-admins]
    role: admin
  - groups: [staff]
    role: reader
  - groups: ["partner:buyers"]
    role: reader
    collections: [catalogue]
`

type Given = NonNullable<Parameters<typeof serveAccounts>[0]>

/** Anna and Adam work at the company, Eve at a partner. */
export async function openCompany(given: Given = {}): Promise<Company> {
  const opened = new AsyncDisposableStack()
  const port = await freePort()
  const appliance = `http://127.0.0.1:${port}`
  const company = opened.use(
    await startProvider({ port: await freePort(), appliance, name: "company", secret: SECRET }),
  )
  const partner = opened.use(
    await startProvider({ port: await freePort(), appliance, name: "partner", secret: null }),
  )
  const verified = (email: string) => ({ email, email_verified: true })
  company.accounts.set("anna", { ...verified("Anna@Example.com"), name: "Anna", groups: ["staff", "HR"] })
  company.accounts.set("adam", { ...verified("adam@example.com"), groups: ["search-admins"] })
  company.accounts.set("guest", { ...verified("guest@example.com"), groups: ["visitors"] })
  // Someone with the same subject as Anna, and an address that the partner may not vouch for.
  partner.accounts.set("anna", { ...verified("anna@example.com"), groups: ["buyers", "search-admins"] })
  const text = `providers:
  - name: company
    title: Company account
    kind: oidc
    issuer: ${company.issuer}
    clientId: fossick
    clientSecret: \${OIDC_SECRET}
    acceptsTokensFor: [librechat]
    networks: [localhost]
  - name: partner
    kind: oidc
    issuer: ${partner.issuer}
    clientId: fossick
    userDomains: [partner.example]
    groupPrefix: "partner:"
    networks: [localhost]
${ROLES}`
  const signOnSpec = parseSignOn(text, "sign-on.yaml", { OIDC_SECRET: SECRET })
  const app = opened.use(
    await serveAccounts({ ...given, port, config: { publicUrl: appliance }, signOnSpec }),
  )
  return {
    app,
    company,
    partner,
    otherProcess: async () => {
      const { db, accounts, people } = app
      const parts = { db, accounts, people, keys: personKeysOf(signOnSpec!, people), publicUrl: appliance }
      const proxy = readSettings(crawlerSettings, {})
      const log = pino({ level: "silent" })
      return openSignOn(signOnSpec!, { ...parts, sessionHours: 1, proxy, userAgent: "test", env: {}, log })
    },
    async age(minutes) {
      const by = minutes * 60_000
      await app.db.script(
        `update face_session set proved_at = proved_at - ${by}; update person set proved_at = proved_at - ${by}`,
      )
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
