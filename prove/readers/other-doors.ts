import type { Chance } from "#base/testing/chance.ts"
import { engineForSale } from "../../api/doors/x402/for-sale.ts"
import { readScope } from "../../api/identity/accounts/keys/key-scope.ts"
import { peerSpec, startAppliance } from "../../api/services/federation/testing/federated.ts"
import { TEST_KEY } from "../../api/testing/serve-app.ts"
import { ask } from "../key-reach/asking.ts"
import { SOURCES } from "../key-reach/world.ts"
import type { Judge } from "./judge.ts"
import type { Person, World } from "./world.ts"

/** Payers are anonymous: a page's readers never include them. */
export async function askAsPayer(
  { app, engine, pages }: World,
  random: Chance,
  judge: Judge,
  count: number,
): Promise<void> {
  const nobody: Person = { key: "", scope: NO_LIMITS, principals: [] }
  const sold = engineForSale(engine, null, {
    collections: app.accounts.collections,
    readers: app.accounts.readers,
  })
  for (let at = 0; at < count; at++) {
    const { asked } = random.one(pages)
    // oxlint-disable-next-line no-await-in-loop
    const found = await sold.search({ text: random.one([asked, `pump seals ${asked}`]), limit: 20 })
    judge.judge({ of: "paid searches", path: asked }, nobody, {
      status: 200,
      text: JSON.stringify(found.hits),
    })
  }
}

const NO_LIMITS: Person["scope"] = { endpoints: null, sources: null, collections: null, domains: null }

/** Everyone can use a key that is in a web page. */
export async function askFromPages(
  { app, pages }: World,
  random: Chance,
  judge: Judge,
  count: number,
): Promise<void> {
  const origin = "https://pages.example"
  const limits = { rateLimits: null, credits: null, collection: null, answers: true }
  for (let at = 0; at < count; at++) {
    const source = random.one(SOURCES)
    const nobody: Person = { key: "", scope: readScope({ sources: [source] }), principals: [] }
    // oxlint-disable-next-line no-await-in-loop -- as many as there are places for
    const { id, text } = await app.accounts.publicKeys.create({
      name: "pages",
      source,
      origins: [origin],
      ...limits,
    })
    const { asked } = random.one(pages)
    const body = {
      query: random.one([asked, "pump seals"]),
      max_results: 20,
      include_facets: ["path", "domain"],
      include_answer: true,
    }
    const headers = { Authorization: `Bearer ${text}`, Origin: origin, "Content-Type": "application/json" }
    const call = random.one([
      { of: "public keys", path: "/search", body },
      { of: "public keys", path: `/suggest?q=${random.one(["Pump", "zprf", asked])}&limit=20` },
    ])
    // oxlint-disable-next-line no-await-in-loop
    const answer = await fetch(app.url + call.path, {
      headers,
      ...("body" in call && { method: "POST", body: JSON.stringify(call.body) }),
    })
    // oxlint-disable-next-line no-await-in-loop
    judge.judge(call, nobody, { status: answer.status, text: await answer.text() })
    // oxlint-disable-next-line no-await-in-loop
    await app.accounts.publicKeys.disable(id)
  }
}

/** Another appliance makes calls with one person's key and shows all its users what that person may read. */
export async function askThroughPeers(
  { app, people, pages }: World,
  random: Chance,
  judge: Judge,
  count: number,
): Promise<void> {
  const PEERS = 3
  for (const person of random.some(people.slice(1), PEERS)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await using other = await startAppliance({ pages: [], peers: [peerSpec("hq", app.url, person.key)] })
    for (let at = 0; at < Math.ceil(count / PEERS); at++) {
      const { asked, url } = random.one(pages)
      const call = random.one([
        {
          of: "federation",
          path: "/search",
          body: { query: asked, max_results: 20, include_facets: ["domain", "path"] },
        },
        {
          of: "federation",
          path: "/search",
          body: { query: `pump seals ${asked}`, include_answer: true, include_images: true },
        },
        { of: "federation", path: "/extract", body: { urls: [url] } },
      ])
      // oxlint-disable-next-line no-await-in-loop
      judge.judge(call, person, await ask(other.url + call.path, TEST_KEY, call.body))
    }
  }
}
