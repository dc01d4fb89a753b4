import type { Chance } from "#base/testing/chance.ts"
import { type KeyScope, readScope } from "../../api/identity/accounts/keys/key-scope.ts"
import type { Tools } from "../key-reach/asking.ts"
import type { Try } from "../key-reach/calls.ts"
import { someScope } from "../key-reach/world.ts"
import { someCall } from "./calls.ts"
import type { Judge } from "./judge.ts"
import { ADMINS, letIn, vouch } from "./sign-on.ts"
import { type GuardedPage, GROUPS, type Person, USERS, type World } from "./world.ts"

/** A user who has signed in, and a program to which the user has granted access. */
interface SignedIn {
  readonly user: string
  /** Whether the user is an administrator: then the program has an administrator's rights, and a service has the user's own. */
  readonly isAdmin: boolean
  readonly program: string
  readonly scope: KeyScope
  groups: readonly string[]
}

/** The share of calls naming a person whose groups have just changed. */
const CHANGES = 0.1
/** Number of services with keys of their own. */
const SERVICES = 4

/** Programs that were granted access by people use MCP, and services make calls on behalf of people at every door. The groups of people keep changing. */
export async function askAsPeople(
  world: World,
  random: Chance,
  judge: Judge,
  tools: Tools,
  { people, calls }: { readonly people: number; readonly calls: number },
): Promise<void> {
  const { app, pages, site } = world
  const signedIn: SignedIn[] = []
  // oxlint-disable-next-line no-await-in-loop -- a handful
  for (const name of random.some(USERS, people)) signedIn.push(await signIn(world, name, random))
  const services: { readonly key: string; readonly scope: KeyScope }[] = []
  for (let at = 0; at < SERVICES; at++) {
    const scope = at % 2 === 0 ? readScope({}) : someScope(random, site)
    // oxlint-disable-next-line no-await-in-loop
    services.push({ key: await app.key({ scope, actsForPeople: "headers" }), scope })
  }
  for (let at = 0; at < calls; at++) {
    const [one, page] = [random.one(signedIn), random.one(pages)]
    // oxlint-disable-next-line no-await-in-loop -- counts at once
    if (random.happens(CHANGES)) {
      one.groups = someGroups(one, random)
      await vouch(app.people, one)
    }
    const principals = principalsOf(one)
    if (random.happens(0.5)) {
      const person: Person = {
        key: one.program,
        scope: one.scope,
        principals: one.isAdmin ? null : principals,
      }
      // oxlint-disable-next-line no-await-in-loop
      await judge.one(someTool(page, pages, random, site.origin), person, page, tools, {
        of: "MCP through connected programs",
      })
    } else {
      const header = random.one(["X-Fossick-Acting-For", "X-OpenWebUI-User-Email"])
      const person = {
        ...random.one(services),
        principals,
        headers: { [header]: random.one([one.user, one.user.toUpperCase()]) },
      }
      // oxlint-disable-next-line no-await-in-loop
      await judge.one(someCall(page, pages, random, site.origin), person, page, tools, {
        of: "services that ask on behalf of people",
      })
    }
  }
}

const principalsOf = ({ user, groups }: Pick<SignedIn, "user" | "groups">): readonly string[] => [
  `user:${user}`,
  ...groups.map((name) => `group:${name}`),
  "signed-in",
]

/** A few groups; administrators also get the administrators' group. */
const someGroups = ({ isAdmin }: Pick<SignedIn, "isAdmin">, random: Chance): readonly string[] => [
  ...random.some(GROUPS, random.below(51)).map((name) => name.slice("group:".length)),
  ...(isAdmin ? [ADMINS] : []),
]

async function signIn({ app, grants }: World, principal: string, random: Chance): Promise<SignedIn> {
  const user = principal.slice("user:".length)
  const isAdmin = random.happens(0.1)
  const groups = someGroups({ isAdmin }, random)
  const { id } = await vouch(app.people, { user, groups })
  const collections = random.happens(0.3) ? [random.one(["c0", "c1"])] : null
  const scope = readScope(collections ? { collections } : {})
  return { user, isAdmin, groups, scope, program: await letIn(grants, id, collections) }
}

/** A call that a program can make: it only has the MCP tools. */
function someTool(page: GuardedPage, pages: readonly GuardedPage[], random: Chance, origin: string): Try {
  const { url, asked, hasKin } = page
  const finds = hasKin ? {} : ({ finds: true } as const)
  const mcp = { of: "MCP", path: "/mcp" }
  if (random.happens(0.2)) return { ...mcp, tool: "fetch", body: { id: url }, showsLinks: true, ...finds }
  if (random.happens(0.2))
    return { ...mcp, tool: "tavily_search", body: { query: asked, max_results: 20 }, ...finds }
  for (;;) {
    const call = someCall(page, pages, random, origin)
    if (call.tool !== undefined) return call
  }
}
