import { readFileSync } from "node:fs"
import { join } from "node:path"

import { parse } from "yaml"
import { freePort } from "#base/testing/free-port.ts"

import { parseSignOn } from "../../api/identity/sign-on/file/sign-on-file.ts"
import { serveAccounts, type ServedAccounts } from "../../api/testing/serve-accounts.ts"
import { Keycloak } from "./keycloak/keycloak.ts"

const PAGE = join(import.meta.dirname, "../../docs/sign-on-providers.md")

/** An appliance whose users sign in with Keycloak, as in the handbook. */
export interface World extends AsyncDisposable {
  readonly keycloak: Keycloak
  readonly app: ServedAccounts
  /** The address that browsers use to reach the appliance. */
  readonly url: string
  /** Makes every stored proof older by this many minutes. */
  age(minutes: number): Promise<void>
}

/** Sign-in by OpenID Connect under the name `keycloak`, and by SAML under `company`. Members of hr are admins here, members of staff readers. */
export async function openWorld(): Promise<World> {
  const opened = new AsyncDisposableStack()
  const keycloak = opened.use(await Keycloak.start())
  const port = await freePort()
  // A different site from Keycloak's, which is localhost.
  const url = `http://127.0.0.1:${port}`
  const [oidcClient, samlClient] = blocks("json").map((text) => JSON.parse(text) as object)
  const secret = await keycloak.addClient(oidcClient!, url)
  await keycloak.addClient(samlClient!, url)
  const realm = keycloak.issuer
  const providers = blocks("yaml")
    .map((text) => parse(text.replaceAll("https://login.example.com/realms/staff", realm)) as Declared)
    .flatMap(({ providers: declared }) => declared)
    .map((one, at) => ({ ...one, networks: ["localhost"], ...(at > 0 && APART) }))
  const roles = [
    { groups: ["hr", "company:hr"], role: "admin" },
    { groups: ["staff", "company:staff"], role: "reader" },
  ]
  const signOnSpec = parseSignOn(JSON.stringify({ providers, roles }), "sign-on.yaml", {
    KEYCLOAK_SECRET: secret,
  })
  const app = opened.use(await serveAccounts({ port, config: { publicUrl: url }, signOnSpec }))
  return {
    keycloak,
    app,
    url,
    async age(minutes) {
      const by = minutes * 60_000
      await app.db.script(
        `update face_session set proved_at = proved_at - ${by}; update person set proved_at = proved_at - ${by}`,
      )
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

interface Declared {
  readonly providers: readonly object[]
}

/** The handbook shows only one of the two; with both, names need prefixes. */
const APART = { userPrefix: "company:", groupPrefix: "company:" }

/** Code blocks in the page's section on Keycloak. */
const blocks = (language: string): readonly string[] => {
  const [, section = ""] = /^## Keycloak\n([^]*?)^## /m.exec(readFileSync(PAGE, "utf8")) ?? []
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, text]) => text!,
  )
}
