import { features } from "../../api/features.ts"
import { describedBy } from "../../api/server/openapi/document.ts"
import { soon, useHooksAndFeeds } from "./hooks-and-feeds.ts"
import { type MarkedAppliance, PATIENCE, quiet } from "./marked-appliance.ts"
import type { HostileServers } from "./marked-settings.ts"
import type { Marks } from "./marks.ts"
import { useOAuth } from "./program.ts"
import { signPeopleIn } from "./sign-on.ts"

const { operations } = await describedBy(features)

const RUN = ["open", "basic", "filed", "headers", "headers-good", "cookies", "form", "certificate", "proxied"]
const SHOWN = ["basic", "headers", "cookies", "form", "certificate", "proxied", "open"]

type Echo = HostileServers["echo"]

/** Uses an appliance over HTTP in every way in which a secret is used or shown. */
export async function callEverything(appliance: MarkedAppliance, echo: Echo, marks: Marks): Promise<void> {
  const jobs = await runSources(appliance)
  const key = await signInAndSearch(appliance, marks)
  await read(appliance, echo)
  await signPeopleIn(appliance, marks)
  appliance.saw("a program is authorised with OAuth", await useOAuth(appliance.url, key, marks))
  await watch(appliance, echo, marks)
  await askWithoutKey(appliance)
  await runSourceOfApi(appliance, echo, marks)
  await sendWrongKeys(appliance, echo, marks)
  await preview(appliance, echo)
  await lookAtEverything(appliance, jobs)
}

/** @returns ids of the jobs */
async function runSources(appliance: MarkedAppliance): Promise<readonly number[]> {
  for (const name of RUN) await appliance.runSource(name)
  let jobs: readonly { id: number; state: string }[] = []
  for (let tries = 0; tries < PATIENCE * 2; tries += 1) {
    jobs = (JSON.parse((await appliance.call("/admin/jobs?limit=100")).text) as { jobs: typeof jobs }).jobs
    if (jobs.length >= RUN.length && jobs.every(({ state }) => isOver(state))) break
    await quiet()
  }
  appliance.saw(
    "every source is run, including failing ones",
    jobs.length >= RUN.length && jobs.some(({ state }) => state === "finished"),
  )
  return jobs.map(({ id }) => id)
}

const isOver = (state: string): boolean => ["finished", "failed", "cancelled"].includes(state)

/** @returns a key created here */
async function signInAndSearch(appliance: MarkedAppliance, marks: Marks): Promise<string> {
  const made = JSON.parse((await appliance.post("/admin/keys", { name: "marked" })).text) as { key: string }
  marks.add("key that was made", made.key)
  const other = JSON.parse((await appliance.post("/generate-keys", { num_keys: 1 })).text) as object
  const [generated] = /fsk-[\w-]{20,}/.exec(JSON.stringify(other)) ?? []
  if (generated !== undefined) marks.add("key that was generated", generated)
  const origin = { Origin: appliance.url }
  const signingIn = { key: "", headers: origin }
  const signedIn = await appliance.keepPost("POST /session", "/session", { key: made.key }, signingIn)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  marks.add("session", cookie.slice(cookie.indexOf("=") + 1))
  appliance.saw("a user signs in", cookie !== "")
  const question = { query: "how are pumps cleaned?", search_depth: "advanced", include_answer: true }
  for (const who of [{ key: made.key }, { key: "", headers: { ...origin, Cookie: cookie } }])
    await appliance.keepPost("POST /search", "/search", question, who)
  return made.key
}

async function read(appliance: MarkedAppliance, echo: Echo): Promise<void> {
  const question = { query: "why are pumps cleaned?", search_depth: "advanced", include_answer: "advanced" }
  await appliance.keepPost("POST /search again", "/search", question)
  await appliance.keepPost("POST /research", "/research", { input: "how are pumps cleaned?" })
  for (const page of ["/open", "/basic", "/none"])
    await appliance.keepPost(`POST /extract ${page}`, "/extract", { urls: [echo.url + page] })
}

async function watch(appliance: MarkedAppliance, echo: Echo, marks: Marks): Promise<void> {
  const calls = {
    get: (path: string, key?: string) => appliance.call(path, key === undefined ? {} : { key }),
    post: (path: string, body: object) => appliance.post(path, body),
    keep: (where: string, what: string) => appliance.keep(where, what),
  }
  appliance.saw(
    "a watch and a crawl job send their webhooks",
    await useHooksAndFeeds(echo.url, () => appliance.runSource("later"), calls, marks),
  )
}

async function askWithoutKey(appliance: MarkedAppliance): Promise<void> {
  const searxng = "/searxng/search?q=pumps&format=json"
  const bySearxng = await appliance.keepCall("GET /searxng/search", searxng, { key: "" })
  const headers = { Origin: appliance.url, "Sec-Fetch-Site": "same-origin" }
  const unsigned = await appliance.keepPost(
    "POST /search without a key",
    "/search",
    { query: "pumps" },
    { key: "", headers },
  )
  appliance.saw(
    "callers without a key can use the open keys",
    bySearxng.status === 200 && unsigned.status === 200,
  )
}

async function runSourceOfApi(appliance: MarkedAppliance, echo: Echo, marks: Marks): Promise<void> {
  const login = { kind: "headers", headers: { Authorization: "Bearer ${API_TOKEN}" } }
  const body = JSON.stringify({ seeds: `${echo.url}/open-api`, login })
  await appliance.keepCall("PUT /admin/sources/api", "/admin/sources/api", { method: "PUT", body })
  const { id } = JSON.parse((await appliance.runSource("api")).text) as { id: number }
  const hasRead = await soon(async () => {
    const { text } = await appliance.keepCall(`GET /admin/jobs/${id}`, `/admin/jobs/${id}`)
    return /"state":"(?:finished|failed|cancelled)"/.test(text)
  })
  appliance.saw(
    "a source of the API has its secret",
    hasRead && echo.wasShown(marks.of("token of a source of the API")),
  )
}

/** Sends a wrong key everywhere that a key is accepted. */
async function sendWrongKeys(appliance: MarkedAppliance, echo: Echo, marks: Marks): Promise<void> {
  const wrong = marks.of("key that is wrong")
  const inAddress = encodeURIComponent(wrong)
  const basic = `Basic ${Buffer.from(`any:${wrong}`).toString("base64")}`
  const headers = { Origin: appliance.url }
  const typed = [
    appliance.call("/admin/jobs", { key: wrong }),
    appliance.call("/search", { key: "", headers: { Authorization: basic } }),
    appliance.post("/search", { query: "pumps", api_key: wrong }, { key: "" }),
    appliance.call(`/search?api_key=${inAddress}&query=x`, { key: "" }),
    appliance.call(`/admin/audit?from=${encodeURIComponent("x")}&key=${inAddress}`),
    appliance.post("/session", { key: wrong }, { key: "", headers }),
    appliance.call("/session", { key: "", headers: { Cookie: `fossick_session=${inAddress}` } }),
    appliance.call("/search", { method: "POST", body: `{"api_key": "${wrong}", "query": ` }),
    appliance.post("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize" }, { key: wrong }),
    appliance.post("/token", { client_secret: wrong }, { key: wrong }),
    appliance.post("/v2/scrape", { url: `${echo.url}/open` }, { key: wrong }),
  ]
  // The answers to these calls may repeat the caller's own input; the stored data may not.
  appliance.saw(
    "wrong keys are refused",
    (await Promise.all(typed)).every(({ status }) => status >= 400 || status === 200),
  )
}

async function preview(appliance: MarkedAppliance, echo: Echo): Promise<void> {
  const login = { kind: "headers", headers: { Authorization: "Bearer ${SITE_TOKEN}" } }
  await appliance.keepPost("POST /admin/sources/preview", "/admin/sources/preview", {
    source: { name: "typed", seeds: `${echo.url}/open`, login },
  })
}

/** Makes every call that returns data. */
async function lookAtEverything(appliance: MarkedAppliance, jobs: readonly number[]): Promise<void> {
  const look = (path: string, init = {}) => appliance.keepCall(`GET ${path.split("?", 1)[0]}`, path, init)
  await appliance.keepCall("POST /admin/alerts/test", "/admin/alerts/test", { method: "POST" })
  let looked = 0
  for (const { method, path } of operations) {
    // The creator of a watch sees the address of its feed.
    if (method !== "get" || path.includes("{") || path === "/admin/events" || path === "/watches") continue
    await look(path)
    looked += 1
  }
  for (const id of jobs) await look(`/admin/jobs/${id}`)
  for (const name of SHOWN) {
    await look(`/admin/sources/${name}`)
    await look(`/admin/sources/${name}/written`)
  }
  await look("/admin/events?seconds=1")
  await look("/metrics")
  await look("/console", { key: "" })
  appliance.saw("every call that shows data is made", looked > 30)
}
