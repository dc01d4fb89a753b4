import { readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { TROUBLE, type Truth, WELL } from "./judge.ts"
import { buildBlog, buildHugo, post, slugOf } from "./programs/generators.ts"
import { certificates } from "./programs/manuals.ts"
import { builtFolder, nodeFolder } from "./programs/packages.ts"
import { serveByNginx } from "./programs/servers.ts"
import type { Served } from "./programs/site.ts"
import type { Text } from "./programs/texts.ts"
import { setDokuWikiPassword, writePage } from "./programs/wikis.ts"
import type { Stand } from "./world.ts"

/** The parts of the week that a day uses. */
export interface Stage {
  /** The folder of programs. */
  readonly folder: string
  readonly stands: ReadonlyMap<string, Stand>
  /** Texts that are not on any site yet. */
  readonly fresh: readonly Text[]
  /** The current time, by the week's clock. */
  readonly now: () => number
  /** The file in which the operator keeps the wiki's password. */
  readonly passwordFile: string
  /** The blog's new server, once it has moved; stopped at the end of the week. */
  readonly servers: AsyncDisposableStack
  readonly blogPort: number
}

/** A day of the week: what happens before its night's runs, and the truth about each source then. */
export interface Day {
  readonly number: number
  /** Breaks, changes or repairs something. */
  readonly happen: (stage: Stage) => Promise<void>
  /** The truth about the sources that are named here. For all others, no problem may be reported: the run must be `finished`, with no message. */
  readonly truths: readonly Truth[]
}

const NEW_PASSWORD = "second-Password-2"
/** The share of a site's pages that disappear on day 4. */
const GONE_SHARE = 0.28

// The truth was written down before the week was played for the first time.

const ALWAYS_SICK: readonly Truth[] = [
  {
    source: "old-forum",
    what: "takes connections and never answers",
    results: ["failed"],
    reason: /answer|timeout|time/i,
  },
  {
    source: "partner",
    what: "answers 503, come back in 15 seconds",
    results: ["failed"],
    reason: /503|unavailable|busy|server/i,
  },
]

const BROKEN_SITES: readonly Truth[] = [
  {
    source: "mkdocs",
    what: "its server is down: connections are refused",
    results: ["failed"],
    reason: /refuse|connect/i,
  },
  {
    source: "internal-manual",
    what: "its certificate has expired",
    results: ["failed"],
    reason: /certificate|tls|expired/i,
  },
  {
    source: "sphinx",
    what: "answers 503 to everything",
    results: ["failed"],
    reason: /503|unavailable|server/i,
  },
  {
    source: "confluence",
    what: "sends its front page for every address",
    results: TROUBLE,
    reason: /soft|front page|not there|found|200|same/i,
  },
]

/** The first seven days. */
export const DAYS: readonly Day[] = [
  { number: 1, happen: async () => {}, truths: ALWAYS_SICK },
  {
    number: 2,
    happen: async (stage) => {
      const blog = builtFolder(stage.folder, "blog")
      const [added] = stage.fresh
      await writeFile(join(blog, "posts", `${slugOf(added!)}.md`), post(added!, 30))
      const [first] = (await readdir(join(blog, "posts"))).sort()
      await writeFile(join(blog, "posts", first!), "\nUpdate: the new release keeps its promise.\n", {
        flag: "a",
      })
      await buildBlog(nodeFolder(stage.folder), blog)
      const wiki = builtFolder(stage.folder, "dokuwiki")
      const text =
        "====== Planned ======\n\nThe plan for the services of the coming year, quarter by quarter.\n"
      await writePage(wiki, "services:planned", text, new Date(stage.now()))
    },
    truths: [
      ...ALWAYS_SICK,
      {
        source: "blog",
        what: "a new post, and one that was changed",
        results: WELL,
        reason: null,
        changes: { new: 1, changed: 1 },
      },
      {
        source: "dokuwiki",
        what: "a page is written that others had linked to; DokuWiki asks robots to wait five days",
        results: WELL,
        reason: null,
      },
    ],
  },
  {
    number: 3,
    happen: async ({ folder, stands }) => {
      await stands.get("mkdocs")?.down()
      const { expired, key } = await certificates(folder)
      await stands
        .get("internal-manual")
        ?.serve((port, env) =>
          serveByNginx(folder, port, { root: folder, certificate: { chain: expired, key } }, env),
        )
      await stands
        .get("sphinx")
        ?.serve((port, env) => serveByNginx(folder, port, { root: folder, more: "return 503;" }, env))
      const root = builtFolder(folder, "confluence")
      await stands
        .get("confluence")
        ?.serve((port, env) => serveByNginx(folder, port, { root, tryFiles: "/index.html =404" }, env))
    },
    truths: [...ALWAYS_SICK, ...BROKEN_SITES],
  },
  {
    number: 4,
    happen: async ({ folder }) => {
      const site = builtFolder(folder, "gitlab-pages")
      const pages = (await readdir(join(site, "content/docs"))).sort()
      for (const name of pages.slice(0, Math.ceil(pages.length * GONE_SHARE)))
        await rm(join(site, "content/docs", name))
      await buildHugo(folder, site)
      await setDokuWikiPassword(folder, "intranet", NEW_PASSWORD)
    },
    truths: [
      ...ALWAYS_SICK,
      ...BROKEN_SITES,
      { source: "gitlab-pages", what: "28 % of its pages are gone", results: TROUBLE, reason: /gone|404/i },
      {
        source: "intranet",
        what: "its password was changed",
        results: ["failed"],
        reason: /log ?in|password/i,
      },
    ],
  },
  {
    number: 5,
    happen: async ({ folder, stands, passwordFile, servers, blogPort }) => {
      for (const { source } of BROKEN_SITES) await stands.get(source)?.up()
      await writeFile(passwordFile, `${NEW_PASSWORD}\n`)
      const hidden = builtFolder(folder, "docusaurus")
      await stands.get("docusaurus")?.serve((port, env) =>
        serveByNginx(
          folder,
          port,
          {
            root: join(hidden, "out"),
            tryFiles: "$uri $uri/index.html $uri.html =404",
            more: 'add_header X-Robots-Tag "noindex" always;',
          },
          env,
        ),
      )
      await stands.get("blog")?.serve(async (port, env): Promise<Served> => {
        const more = `return 301 http://localhost:${blogPort}$request_uri;`
        servers.use(
          await serveByNginx(folder, blogPort, { root: join(builtFolder(folder, "blog"), "out") }, env),
        )
        return serveByNginx(folder, port, { root: folder, more }, env)
      })
    },
    truths: [
      ...ALWAYS_SICK,
      ...BROKEN_SITES.map(({ source }) => ({ source, what: "works again", results: WELL, reason: null })),
      { source: "intranet", what: "the operator has written the new password", results: WELL, reason: null },
      {
        source: "gitlab-pages",
        what: "the pages are still gone: their removal is held",
        results: TROUBLE,
        reason: /wait|held|remov/i,
      },
      { source: "docusaurus", what: "every page says noindex", results: TROUBLE, reason: /noindex/i },
      {
        source: "blog",
        what: "it has moved to another host, by 301",
        results: TROUBLE,
        reason: /moved|redirect|another|elsewhere|scope|leads/i,
      },
    ],
  },
  {
    number: 6,
    happen: async ({ stands, blogPort }) => {
      await stands.get("docusaurus")?.up()
      stands.get("blog")?.moveTo(`http://localhost:${blogPort}`)
    },
    truths: [
      ...ALWAYS_SICK,
      { source: "gitlab-pages", what: "the operator has approved the removals", results: WELL, reason: null },
      { source: "docusaurus", what: "noindex is gone again", results: WELL, reason: null },
      { source: "blog", what: "the operator has named the new host", results: WELL, reason: null },
    ],
  },
  { number: 7, happen: async () => {}, truths: ALWAYS_SICK },
]
