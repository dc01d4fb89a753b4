import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { freePort } from "#base/testing/free-port.ts"
import { openAccounts } from "../../api/identity/accounts/accounts.ts"
import { openOAuth } from "../../api/identity/oauth/oauth-endpoints.ts"
import type { OAuthStore } from "../../api/identity/oauth/oauth-store.ts"
import { type Person, PersonStore } from "../../api/identity/people/person-store.ts"
import { personKeysOf } from "../../api/identity/sign-on/file/declared.ts"
import { parseSignOn } from "../../api/identity/sign-on/file/sign-on-file.ts"
import { NO_OUTAGE } from "../../api/server/outage/state-outage.ts"
import { apiSettings } from "../../api/settings.ts"

const PROVIDER = "proxy"
/** Members of this group are administrators. */
export const ADMINS = "admins"
const SIGN_ON = `providers: [{ name: ${PROVIDER}, kind: headers, addresses: [127.0.0.1] }]
roles: [{ groups: [${ADMINS}], role: admin }, { signedIn: true, role: reader }]`

/** Everything an app needs so that people can sign in, and grant programs access. */
export async function openSignOnAndGrants(opened: AsyncDisposableStack, dir: string) {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const signOnSpec = parseSignOn(SIGN_ON, "sign-on.yaml", {})!
  const db = await openStateStore(dir)
  opened.defer(() => db.close())
  const bridge = {
    outage: NO_OUTAGE,
    journals: null,
    people: personKeysOf(signOnSpec, new PersonStore(db)),
  }
  const config = { ...readSettings(apiSettings, {}), publicUrl }
  const { keys, collections } = opened.use(await openAccounts(db, config, () => {}, undefined, bridge))
  const oauth = openOAuth({ db, keys, collections, documents: { client: async () => null }, publicUrl })
  return { grants: oauth.store, served: { port, signOnSpec, oauth, config: { publicUrl } } }
}

/** Makes the proxy assert that a user has signed in and is in these groups from now on. */
export const vouch = (
  people: PersonStore,
  { user, groups }: { readonly user: string; readonly groups: readonly string[] },
): Promise<Person> =>
  people.proved(
    { provider: PROVIDER, subject: user, user, name: "", email: user, groups, isRenewable: false },
    true,
  )

/** @returns the access token of a program to which a user grants access */
export async function letIn(
  grants: OAuthStore,
  key: string,
  collections: readonly string[] | null,
): Promise<string> {
  const { id: client } = await grants.register({ client_name: "proof" })
  const asked = { redirectUri: "http://127.0.0.1:1/callback", challenge: "none" }
  const code = await grants.allow({ client, clientName: "proof", key, collections }, asked)
  const { grant } = (await grants.code(client, code))!
  return (await grants.redeem(code, grant))!.access
}
