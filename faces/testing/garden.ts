import { Jobs, Sources } from "#crawler"
import { ImageStore } from "#crawler/upkeep/images/image-store.ts"
import { readImage } from "#crawler/upkeep/images/read-image.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { picture } from "#crawler/testing/pictures.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { html, startTestSite } from "#crawler/testing/test-site.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"

import { openMissKnowledge } from "../../api/services/misses/miss-knowledge.ts"
import { openPageKnowledge } from "../../api/services/pages/page-knowledge.ts"
import { serveAccounts } from "../../api/testing/serve-accounts.ts"
import { TEST_KEY } from "../../api/testing/serve-app.ts"

/** An appliance that has crawled a site about a garden and its pumps. */
export interface GardenAppliance extends AsyncDisposable {
  readonly url: string
  /** Serves the same pages from an appliance that people may search without signing in. @returns its address */
  openToAll(): Promise<string>
  /** A key with the role `search`. */
  readonly key: string
  readonly adminKey: string
  /** A public key for pages of these origins. */
  publicKey(origins: readonly string[], answers?: boolean): Promise<string>
  /** Opinions on answers. */
  feedback(): Promise<readonly object[]>
  /** Users' requests for missing pages. */
  requests(): Promise<readonly object[]>
}

/** Content for a page whose words are longer than a phone is wide. */
const LONG_WAY =
  "/a-very-long-way-to-the-shed-behind-the-old-greenhouse/where-all-tools-for-cleaning-pumps-are-kept"

const SOURCE = "garden-and-greenhouse"
const OPEN_KEY = "search-key-of-a-reader"

/** A page that is as hostile as possible: in its title, its text, its attributes and its links. */
const HOSTILE = `<html lang="en"><head><title>Weeds &lt;img src=x onerror="hacked=1"&gt;&lt;script&gt;hacked=1&lt;/script&gt;</title></head>
<body><main><h1>Weeds &lt;svg onload="hacked=1"&gt;</h1>
<p>Weeds are hostile: &lt;script&gt;hacked=1&lt;/script&gt; &lt;img src=x onerror="hacked=1"&gt; and &lt;iframe src="javascript:hacked=1"&gt; grow in every bed.</p>
<p>Hostile weeds [click](javascript:hacked=1) <a href="javascript:hacked=1">here</a>, <a href="data:text/html,<script>hacked=1</script>">there</a> or <a href="/tulips">among tulips</a>.</p>
<pre><code>&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;hacked=1&lt;/script&gt;</code></pre>
<p>{{constructor.constructor('hacked=1')()}} \${hacked=1} &amp;lt;img src=x onerror=hacked=1&amp;gt;</p></main></body></html>`

/** Steps with commands between them, wide code, and a table wider than a phone. */
const WINTER = `<h2>Prepare a pump for winter</h2>
<ol><li>Close the valve of the well.</li><li>Empty the pump with its own program:
<pre><code class="language-sh">pumpctl drain --all --until-dry --report=/var/log/pumps/winter-report.txt --quiet

pumpctl status argv[1] [2]</code></pre></li><li>Cover the pump with __init__ straw &amp; &lt;b&gt;felt&lt;/b&gt;.</li></ol>`

const VALVES = `<h2>Valves of the greenhouse</h2><p>The valves of the greenhouse are set as follows:</p>
<table><thead><tr><th>Valve</th><th>Default pressure</th><th>Highest pressure</th><th>Material of the seal</th><th>Opening time</th></tr></thead>
<tbody><tr><td><code>north_valve</code></td><td>1.5 bar</td><td>4 bar</td><td>natural rubber</td><td>12 seconds</td></tr>
<tr><td><code>south_valve</code></td><td>2.5 bar</td><td>6 bar</td><td>greased leather</td><td>20 seconds</td></tr></tbody></table>`

const HOSTILE_FOLDER = "/%3Cimg%20src=x%20onerror=%22hacked=1%22%3E/v9/seals"

const article = (title: string, text: string, links: readonly string[] = [], image = "", year = 2025) =>
  html(
    `<html lang="en"><head><title>${title}</title><meta property="article:published_time" content="${year}-03-11T17:00:00Z"></head>
     <body><main><h1>${title}</h1>${text}${image === "" ? "" : `<p><img src="${image}" alt="${title} in a drawing" width="600" height="400"></p>`}
     <p>${links.map((link) => `<a href="${link}">${link}</a>`).join(" ")}</p></main></body></html>`,
  )

/** Pages of several versions, and one whose folder is as hostile as an address can be. */
const MANUAL = {
  "/manual/3.12/seals": article("Seals of 3.12", "<p>Seals of this version are made of leather and oil.</p>"),
  "/manual/3.13/seals": article(
    "Seals of 3.13",
    "<p>Seals of the newer version are made of rubber alone.</p>",
  ),
  [HOSTILE_FOLDER]: article(
    "Seals of strangers",
    "<p>Nobody knows what the seals of strangers are made of.</p>",
  ),
}

export async function openGarden(): Promise<GardenAppliance> {
  await using opened = new AsyncDisposableStack()
  const { dir, db, engine } = await openDataFolder(opened)
  const site = opened.use(
    await startTestSite({
      "/": article(
        "The garden",
        "<p>This garden has beds, pumps and tulips. Each has a page of its own in this small book.</p>",
        [
          "/pumps",
          "/cleaning",
          "/tulips",
          "/de/tulips",
          "/weeds",
          "/roses",
          "/winter",
          "/valves",
          LONG_WAY,
          ...Object.keys(MANUAL),
        ],
      ),
      "/pumps": article(
        "Pumps",
        "<p>A pump moves water from the well to the beds of the garden.</p>",
        [],
        "/pump.png",
      ),
      "/cleaning": article(
        "Cleaning pumps",
        "<h2>How pumps are cleaned</h2><p>Pumps are cleaned with warm water and a soft brush, once a month.</p><h2>When</h2><p>Do it before the frost comes, and dry the parts well.</p>",
        [],
        "/brush.png",
      ),
      [LONG_WAY]: article(
        `Tools ${"for-cleaning-pumps".repeat(8)}`,
        `<p>Pumps are cleaned with tools: <code>${"pump_cleaning_tool_".repeat(20)}</code> is the longest of them.</p>`,
        [],
        "/tools.png",
      ),
      "/tulips": article(
        "Tulips",
        "<p>Tulips are planted in autumn, three times as deep as the bulb is high.</p>",
      ),
      "/roses": article(
        "Roses",
        "<p>Roses are pruned in winter and fed in spring, each year again, in every garden.</p>",
        [],
        "/rose.png",
        2024,
      ),
      "/winter": article("Winter", WINTER),
      "/valves": article("Valves", VALVES),
      "/de/tulips": html(
        `<html lang="de"><head><title>Tulips: Tulpen</title></head><body><main><h1>Tulpen</h1>
         <p>Tulpen, auf Englisch tulips, werden im Herbst gepflanzt, dreimal so tief, wie die Zwiebel hoch ist.</p></main></body></html>`,
      ),
      ...MANUAL,
      "/weeds": html(HOSTILE),
    }),
  )
  const jobs = new Jobs(db)
  await new Sources(db, jobs).put({ name: SOURCE, seeds: [site.url("/")] })
  await runSource(SOURCE, db, engine)
  const images = new ImageStore(db, dir)
  for (let seen = 1; ; seen++) {
    const image = await images.nextUnread((await images.unreadHosts())[0] ?? "")
    if (image === null) break
    const { look, thumbnail } = await readImage(await picture(seen))
    await images.recordLook(image.id, look, thumbnail)
  }
  const serve = (config: object) =>
    serveAccounts({
      dir,
      engine,
      images,
      thumbnails: images,
      pages: openPageKnowledge(db, jobs),
      misses: openMissKnowledge(db, jobs, engine, () => sourceNames(db)),
      sourceNames: () => sourceNames(db),
      config: { about: "All about one garden.", ...config },
    })
  const app = opened.use(await serve({}))
  const kept = opened.move()
  return {
    url: app.url,
    openToAll: async () => kept.use(await serve({ openKey: OPEN_KEY })).url,
    key: await app.key(),
    adminKey: TEST_KEY,
    publicKey: async (origins, answers = true) =>
      (
        await app.accounts.publicKeys.create({
          name: "",
          source: SOURCE,
          collection: null,
          origins,
          answers,
          rateLimits: {},
          credits: null,
        })
      ).text,
    feedback: async () =>
      (await app.accounts.feedback.list({ limit: 100, offset: 0 })).map(({ fields }) => fields),
    requests: () => app.accounts.pageRequests.list({ limit: 100, offset: 0 }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
