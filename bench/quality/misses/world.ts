import { writeFile } from "node:fs/promises"
import path from "node:path"

import { Jobs, Sources } from "#crawler"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { runSource, shareOfRuns } from "#crawler/testing/run-source.ts"
import { type Answer, article, bytes, startTestSite, status, textFile } from "#crawler/testing/test-site.ts"
import type { Embedder } from "#engine"

import { readScope } from "../../../api/identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../../api/identity/accounts/reach/source-sites.ts"
import { openMissKnowledge } from "../../../api/services/misses/miss-knowledge.ts"
import { openPageKnowledge } from "../../../api/services/pages/page-knowledge.ts"
import { serveAccounts } from "../../../api/testing/serve-accounts.ts"
import type { MissQuestion, Seed } from "../../questions/miss-questions.ts"

/** Sources whose runs finished and left out nothing that their rules allow. */
export const COMPLETE: ReadonlySet<string> = new Set(["open", "other"])

/** The folder on the site for the pages of each kind. */
const FOLDERS: Readonly<Record<Seed, string>> = {
  indexed: "/open/things/",
  filtered: "/open/things/",
  robots: "/open/private/",
  noindex: "/open/quiet/",
  removed: "/open/old/",
  "not-found": "/open/gone/",
  excluded: "/open/drafts/",
  empty: "/open/bare/",
  picture: "/open/pictures/",
  broken: "/broken/",
  "beyond-limit": "/limited/",
  "never-run": "/never/",
  "login-failed": "/vault/",
  "out-of-reach": "/other/",
  "other-host": "/",
  nowhere: "/open/nowhere/",
}

export const pathOf = ({ seed, thing }: MissQuestion): string =>
  `${FOLDERS[seed]}${thing.replaceAll(" ", "-")}`

const titleOf = ({ thing }: MissQuestion): string => `The ${thing}`

function textOf({ thing }: MissQuestion): string {
  return `The ${thing} is mended with care, and its handbook says how. Whoever keeps a ${thing} looks after it twice a year. `.repeat(
    3,
  )
}

function answerOf(question: MissQuestion): Answer | null {
  const page = (head = "") => article(titleOf(question), { text: textOf(question), head })
  switch (question.seed) {
    case "nowhere":
    case "not-found":
    case "other-host":
      return null
    case "noindex":
      return page('<meta name="robots" content="noindex">')
    case "empty":
      return "<html><head></head><body></body></html>"
    case "picture":
      return bytes("x", { "content-type": "image/png" })
    case "broken":
      return status(500)
    case "login-failed":
      return status(401)
    default:
      return page()
  }
}

/** A crawled site behind a real API; the pages asked for are missing for the reasons that the questions name. */
export async function openWorld(questions: readonly MissQuestion[], embedder: Embedder) {
  const opened = new AsyncDisposableStack()
  const { dir, db, engine } = await openDataFolder(opened, embedder)
  const inFolder = (folder: string) =>
    questions
      .filter(({ seed }) => seed !== "nowhere")
      .map(pathOf)
      .filter((one) => one.startsWith(folder))
  const start = (folder: string) =>
    article(`Start of ${folder.replaceAll("/", "")}`, { links: inFolder(folder) })
  const folders = ["/open/", "/broken/", "/limited/", "/never/", "/other/"]
  const site = opened.use(
    await startTestSite({
      "/robots.txt": textFile("User-agent: *\nDisallow: /open/private/"),
      ...Object.fromEntries(folders.map((folder) => [folder, start(folder)])),
      "/vault/": status(401),
      "/login":
        "<html><body><form method=post action=/login><input name=user><input name=password type=password></form></body></html>",
      ...Object.fromEntries(
        questions.flatMap((one) => {
          const answer = answerOf(one)
          return answer === null ? [] : [[pathOf(one), answer]]
        }),
      ),
    }),
  )
  const elsewhere = opened.use(await startTestSite({ "*": article("Elsewhere") }))
  const password = path.join(dir, "password")
  await writeFile(password, "wrong")
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  const put = (name: string, more: object = {}) =>
    sources.put({ name, seeds: [site.url(`/${name}/`)], scope: "prefix", ...more })
  await put("open", { exclude: ["/open/drafts/**"], removal: { maxShare: 1 } })
  await put("other")
  await put("broken")
  await put("limited", { limits: { pages: 1 } })
  await put("vault", {
    login: {
      kind: "form",
      url: site.url("/login"),
      fields: { user: "ada", password: `file:${password}` },
      proof: "Welcome",
    },
  })
  await put("never")
  const share = opened.use(shareOfRuns())
  for (const name of ["open", "other", "broken", "limited", "vault"]) await runSource(name, db, engine, share)
  site.serve(
    Object.fromEntries(
      questions.filter(({ seed }) => seed === "removed").map((one) => [pathOf(one), status(410)]),
    ),
  )
  await runSource("open", db, engine, share)
  await engine.settled()
  const names = () => sourceNames(db)
  const app = opened.use(
    await serveAccounts({
      dir,
      engine,
      embedder,
      pages: openPageKnowledge(db, jobs),
      misses: openMissKnowledge(db, jobs, engine, names),
      sourceNames: names,
      sites: sourceSites(db, jobs),
    }),
  )
  return {
    app,
    site,
    elsewhere,
    /** Key of a reader who can see everything. */
    wide: await app.key(),
    /** Key of a reader who can see only the source `open`. */
    narrow: await app.key({ scope: readScope({ sources: ["open"] }) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
