import { afterEach, expect, test, vi } from "vitest"
import { readSettings } from "#base/settings.ts"
import { mayRead } from "#engine/index/page/readers.ts"
import { runJob } from "./crawl/run-job.ts"
import { CrawlShare } from "./crawl/together/crawl-share.ts"
import { Jobs } from "./jobs/jobs.ts"
import { crawlerSettings } from "./settings.ts"
import { defineSource, type SourceSpec } from "./source.ts"
import { forgetReadersNow, readersNow } from "./sources/readers/readers-now.ts"
import { openDataFolder } from "./testing/data-folder.ts"
import { Dokuwiki, passwordOf, type WikiUser } from "./testing/dokuwiki.ts"

// A real wiki with access rules of its own. The crawler learns these rules only from the pages that are shown to three
// logins and to a visitor.

const USERS: readonly WikiUser[] = [
  { name: "hr", group: "hr" },
  { name: "staff", group: "staff" },
  { name: "guest", group: "guests" },
]
const PAGES = ["start", "canteen", "team:minutes", "team:plans", "salaries", "visitors"]

afterEach(() => void vi.unstubAllEnvs())

const config = readSettings(crawlerSettings, {
  FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
  FOSSICK_READER_THREADS: "1",
})

async function openOffice(opened: AsyncDisposableStack) {
  for (const { name } of USERS) vi.stubEnv(`WIKI_${name.toUpperCase()}`, passwordOf(name))
  const wiki = opened.use(await Dokuwiki.start(USERS))
  wiki.write(
    "start",
    "Office wiki",
    `All of it: ${PAGES.map((page) => `[[${page}]]`).join(", ")}. Office matters.`,
  )
  wiki.write("canteen", "Canteen", "The office canteen opens at noon. Please bring a cup of your own.")
  wiki.write("team:minutes", "Minutes", "The minutes of Monday: the office printer will be moved upstairs.")
  wiki.write("team:plans", "Plans", "The office will have a second kitchen in the spring of next year.")
  wiki.write("salaries", "Salaries", "The office pays salaries on the 25th, and a bonus in March.")
  wiki.write("visitors", "Visitors", "Visitors of the office park behind the house and ring twice.")
  const { db, engine } = await openDataFolder(opened)
  const share = opened.use(new CrawlShare(config))
  return { wiki, db, engine, share }
}

type Office = Awaited<ReturnType<typeof openOffice>>

const login = (wiki: Dokuwiki, name: string) =>
  ({
    kind: "form",
    url: `${wiki.url("start")}&do=login`,
    fields: { u: name, p: `\${WIKI_${name.toUpperCase()}}` },
    proof: "Logged in as",
  }) as const

const source = (wiki: Dokuwiki): SourceSpec => ({
  name: "wiki",
  seeds: [wiki.url("start")],
  include: ["re:/doku\\.php\\?id=[a-z:]+$"],
  login: login(wiki, "hr"),
  observers: [
    { name: "hr", login: "same", readers: { allow: ["group:hr"] } },
    { name: "staff", login: login(wiki, "staff"), readers: { allow: ["group:staff"] } },
    { name: "guest", login: login(wiki, "guest"), readers: { allow: ["user:guest@example.com"] } },
    { name: "visitor", login: "none", readers: "everybody" },
  ],
})

async function run({ wiki, db, engine, share }: Office) {
  const jobs = new Jobs(db)
  const { id } = await jobs.enqueue(defineSource(source(wiki)), { trigger: "run" })
  const { signal } = new AbortController()
  const job = await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", share })
  await engine.settled()
  return job
}

/** The pages that a user can find. */
async function findsOf({ wiki, db, engine }: Office, ...principals: string[]) {
  forgetReadersNow(db)
  const { rules } = await readersNow(db)
  const who = new Set(principals)
  const readers = [...rules]
    .filter(([, all]) => all.every((one) => mayRead(who, one)))
    .map(([label]) => label)
  const { hits } = await engine.search({ text: "office", limit: 20, filter: { readers } })
  return hits.map(({ url }) => url.replace(wiki.url(""), "")).sort()
}

const finds = async (office: Office) => ({
  hr: await findsOf(office, "signed-in", "group:hr"),
  staff: await findsOf(office, "signed-in", "group:staff"),
  guest: await findsOf(office, "signed-in", "user:guest@example.com"),
  visitor: await findsOf(office),
})

/** Returns which pages the wiki itself shows to whom: each user logs in with their own browser. */
async function shows({ wiki }: Office) {
  const shownTo = async (cookie: string) => {
    const seen: string[] = []
    for (const page of PAGES) {
      const answer = await (await fetch(wiki.url(page), { headers: { cookie } })).text()
      if (!answer.includes("Permission Denied")) seen.push(page)
    }
    return seen.sort()
  }
  const loggedIn = async (name: string) => {
    const form = await fetch(`${wiki.url("start")}&do=login`)
    const begun = cookiesOf(form)
    const sectok = /name="sectok" value="([^"]*)"/.exec(await form.text())?.[1] ?? ""
    const body = new URLSearchParams({ sectok, id: "start", do: "login", u: name, p: passwordOf(name) })
    const answer = await fetch(wiki.url("start"), {
      method: "POST",
      body,
      headers: { cookie: joined(begun) },
      redirect: "manual",
    })
    return joined({ ...begun, ...cookiesOf(answer) })
  }
  return {
    hr: await shownTo(await loggedIn("hr")),
    staff: await shownTo(await loggedIn("staff")),
    guest: await shownTo(await loggedIn("guest")),
    visitor: await shownTo(""),
  }
}

const cookiesOf = (answer: Response): Record<string, string> =>
  Object.fromEntries(
    answer.headers.getSetCookie().map((line) => line.split(";", 1)[0]!.split("=", 2) as [string, string]),
  )

const joined = (cookies: Readonly<Record<string, string>>): string =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ")

test(
  "everyone finds what the wiki shows them, and after its rules change, the next run follows",
  { tags: ["dokuwiki"] },
  async () => {
    await using opened = new AsyncDisposableStack()
    const office = await openOffice(opened)
    const { wiki, engine } = office
    wiki.allow([
      ["*", "@ALL", 0],
      ["*", "@hr", 8],
      ["start", "@ALL", 1],
      ["visitors", "@ALL", 1],
      ["canteen", "@user", 1],
      ["canteen", "@staff", 2],
      ["canteen", "@guests", 1],
      ["team:*", "@staff", 1],
    ])
    expect(await run(office)).toMatchObject({
      state: "finished",
      result: "finished",
      outcomes: { indexed: 6 },
    })
    const first = await shows(office)
    expect(first).toEqual({
      hr: [...PAGES].sort(),
      staff: ["canteen", "start", "team:minutes", "team:plans", "visitors"],
      guest: ["canteen", "start", "visitors"],
      visitor: ["start", "visitors"],
    })
    expect(await finds(office)).toEqual(first)

    wiki.allow([
      ["*", "@ALL", 0],
      ["*", "@hr", 8],
      ["start", "@ALL", 1],
      ["visitors", "@staff", 1],
      ["canteen", "@staff", 1],
      ["team:plans", "@guests", 1],
      ["salaries", "@staff", 1],
    ])
    expect(await run(office)).toMatchObject({ result: "finished" })
    // Only the readers changed: no page has to wait for vectors.
    const second = await shows(office)
    expect(second).toEqual({
      hr: [...PAGES].sort(),
      staff: ["canteen", "salaries", "start", "visitors"],
      guest: ["start", "team:plans"],
      visitor: ["start"],
    })
    expect(await finds(office)).toEqual(second)

    wiki.setPassword(USERS, { staff: "changed" })
    wiki.allow([
      ["*", "@ALL", 0],
      ["*", "@hr", 8],
      ["start", "@ALL", 1],
      ["team:*", "@staff", 1],
    ])
    expect(await run(office)).toMatchObject({ result: "finished-with-problems" })
    // The crawler can no longer see the wiki as staff do: the earlier observations are kept, and no new ones are added.
    expect(await finds(office)).toEqual({ ...(await shows({ ...office })), staff: second.staff })
    expect((await engine.stats()).pages).toBe(6)
  },
)
