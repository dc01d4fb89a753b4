import { cp, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { builtFolder, debianPackages, doOnce, runCommand } from "./packages.ts"
import { php, serveByPhp } from "./servers.ts"
import { type ExpectedPage, questionOf, type RealSite } from "./site.ts"
import { type Text, toDokuWiki, toMediaWiki } from "./texts.ts"

/** The initial login of the wiki that shows nothing to anonymous visitors. */
export const WIKI_LOGIN = { user: "reader", password: "first-Password-1" }

const DOKUWIKI_JUNK =
  /[?&](do|rev|idx|image|media|rss|tab_files|sectok)=|\/lib\/|feed\.php|playground|wiki:syntax/

interface DokuWikiSettings {
  readonly name: string
  readonly title: string
  readonly texts: readonly Text[]
  /** Whether pages are shown only to users who are logged in. */
  readonly closed?: boolean
  /** `$conf['userewrite']`: 0 as installed (`doku.php?id=`), 2 paths below `doku.php`. */
  readonly rewrite: 0 | 2
}

/** A DokuWiki with its own configuration and data: pages in three namespaces, one of them with older revisions. */
export async function dokuWiki(folder: string, settings: DokuWikiSettings): Promise<RealSite> {
  const root = await debianPackages(folder)
  const site = builtFolder(folder, settings.name)
  const named = settings.texts.map((text, at) => ({ text, id: `${NAMESPACES[at % 3]}:${idOf(text)}` }))
  const address = (id: string) => (settings.rewrite === 0 ? `/doku.php?id=${id}` : `/doku.php/${id}`)
  await doOnce(folder, settings.name, async () => {
    await cp(join(root, "usr/share/dokuwiki"), site, {
      recursive: true,
      dereference: true,
      filter: noDanglers,
    })
    await cp(join(root, "etc/dokuwiki"), join(site, "conf"), { recursive: true, filter: noDanglers })
    await cp(join(root, "var/lib/dokuwiki/data"), join(site, "data"), { recursive: true })
    for (const path of PATHS_OF_LIBRARIES) {
      const text = await readFile(join(site, path), "utf8")
      await writeFile(join(site, path), text.replaceAll("'/usr/share/", `'${root}/usr/share/`))
    }
    await writeFile(join(site, "inc/preload.php"), `<?php define('DOKU_CONF', '${site}/conf/');\n`)
    const local = {
      title: settings.title,
      useacl: 1,
      superuser: "@admin",
      savedir: join(site, "data"),
      userewrite: settings.rewrite,
      disableactions: "register,resendpwd,profile",
      license: "",
      updatecheck: 0,
    }
    const lines = Object.entries(local).map(([name, value]) => `$conf['${name}'] = ${JSON.stringify(value)};`)
    await writeFile(join(site, "conf/local.php"), `<?php\n${lines.join("\n")}\n`)
    const rules = settings.closed ? "*  @ALL  0\n*  @user  1\n" : "*  @ALL  1\n"
    await writeFile(join(site, "conf/acl.auth.php"), rules)
    await setDokuWikiPassword(folder, settings.name, WIKI_LOGIN.password)
    const parts = NAMESPACES.map((name) => `  * [[${name}:start|About ${name}]]`)
    const links = [...parts, ...named.map(({ id, text }) => `  * [[${id}|${text.title}]]`)].join("\n")
    await writePage(
      site,
      "start",
      `====== ${settings.title} ======\n\nWhat we use, and how.\n\n${links}\n`,
      LONG_AGO,
    )
    // The page of a namespace links to one that has not been written yet, as is common in wikis.
    for (const namespace of NAMESPACES) {
      const own = named.filter(({ id }) => id.startsWith(`${namespace}:`))
      const items = own.map(({ id, text }) => `  * [[${id}]]: ${text.about}`).join("\n")
      const text = `====== About ${namespace} ======\n\nPages of ${namespace}, kept by the platform team.\n\n${items}\n\nTo be written: [[${namespace}:planned]]\n`
      await writePage(site, `${namespace}:start`, text, LONG_AGO)
    }
    const program = await php(folder)
    for (const { id, text } of named) await writePage(site, id, toDokuWiki(text), LONG_AGO)
    const first = named[0]!
    const edited = join(site, "edited.txt")
    await writeFile(edited, `${toDokuWiki(first.text)}\nReviewed by the platform team.\n`)
    const commit = [...program.args, join(site, "bin/dwpage.php"), "commit", "-m", "review", edited, first.id]
    await runCommand(program.command, commit, { env: program.env })
    await writePage(site, first.id, await readFile(edited, "utf8"), LONG_AGO)
  })
  const pages: ExpectedPage[] = [
    { path: address("start"), also: ["/", "/doku.php"], title: settings.title },
    ...NAMESPACES.map((name) => ({ path: address(`${name}:start`), title: `About ${name}` })),
    ...named.map(({ id, text }) => ({ path: address(id), title: text.title })),
  ]
  const asked = named.at(-1)!
  return {
    name: settings.name,
    program: `DokuWiki 2022-07-31, ${settings.rewrite === 0 ? "addresses as installed" : "paths below doku.php"}${settings.closed ? ", behind its login form" : ""}`,
    start: "/doku.php",
    pages,
    junk: DOKUWIKI_JUNK,
    question: questionOf(asked.text, address(asked.id)),
    serve: (port, more) => serveByPhp(folder, port, site, more),
  }
}

/** Files of Debian's DokuWiki that refer to libraries from other packages by their system path. */
const PATHS_OF_LIBRARIES = [
  "vendor/composer/autoload_static.php",
  "vendor/composer/autoload_classmap.php",
  "inc/parserutils.php",
  "inc/load.php",
]

const LONG_AGO = new Date(Date.now() - 90 * 86_400_000)

const NAMESPACES = ["tools", "libraries", "services"]

/** Sets the password of the wiki's only reader. */
export async function setDokuWikiPassword(folder: string, name: string, password: string): Promise<void> {
  const program = await php(folder)
  const code = "echo password_hash(stream_get_contents(STDIN), PASSWORD_BCRYPT);"
  const hash = await runCommand(program.command, [...program.args, "-r", code], {
    env: program.env,
    input: password,
  })
  const line = `${WIKI_LOGIN.user}:${hash}:Reader:reader@example.com:user\n`
  await writeFile(join(builtFolder(folder, name), "conf/users.auth.php"), `# <?php exit()?>\n${line}`)
}

/**
 * Writes a page of a DokuWiki, as an editor of its files would.
 * @param written time of writing, now by default. DokuWiki asks robots not to index pages younger than five days
 */
export async function writePage(site: string, id: string, text: string, written?: Date): Promise<void> {
  const path = join(site, "data/pages", `${id.replaceAll(":", "/")}.txt`)
  await mkdir(join(path, ".."), { recursive: true })
  await writeFile(path, text)
  if (written) await utimes(path, written, written)
}

const idOf = ({ title }: Text): string => title.replaceAll(".", "_")

const noDanglers = (path: string): boolean => !/\/(\.htaccess|(acl|users)\.auth\.php)$/.test(path)

const MEDIAWIKI_JUNK =
  /[?&](action|oldid|diff|printable|redlink|returnto|veaction|mobileaction)=|Special:|Help:|Talk:|User:|\/load\.php|\/api\.php/

/** A MediaWiki on SQLite: articles in categories, one with an older revision, a redirect, a talk page. */
export async function mediaWiki(folder: string, texts: readonly Text[]): Promise<RealSite> {
  const root = await debianPackages(folder)
  const site = builtFolder(folder, "mediawiki")
  const program = join(root, "usr/share/mediawiki")
  const env = { MW_CONFIG_FILE: join(site, "LocalSettings.php") }
  await doOnce(folder, "mediawiki", async () => {
    await mkdir(join(site, "data"), { recursive: true })
    await mkdir(join(site, "texts"), { recursive: true })
    const { command, args, env: library } = await php(folder)
    const maintain = (script: string, ...more: string[]) =>
      runCommand(command, [...args, join(program, "maintenance", script), ...more], {
        env: { ...library, ...(script !== "install.php" && env) },
      })
    await maintain(
      "install.php",
      "--dbtype",
      "sqlite",
      "--dbpath",
      join(site, "data"),
      "--dbname",
      "wiki",
      "--server",
      "http://127.0.0.1",
      "--scriptpath",
      "",
      "--lang",
      "en",
      "--pass",
      "a-Long-password-of-1",
      "--confpath",
      site,
      "Handbook",
      "Admin",
    )
    const settings = `
$wgServer = 'http://' . ($_SERVER['HTTP_HOST'] ?? '127.0.0.1');
$wgEnableEmail = false;
$wgJobRunRate = 0;
wfLoadSkin('Vector');
$wgDefaultSkin = 'vector';
`
    const local = await readFile(env.MW_CONFIG_FILE, "utf8")
    await writeFile(env.MW_CONFIG_FILE, local + settings)
    const links = texts.map((text) => `* [[${articleOf(text)}]]`).join("\n")
    const articles: [string, string][] = [
      ["Main Page", `What we use, and how.\n\n${links}\n* [[Planned page]]\n`],
      ["Old name", `#REDIRECT [[${articleOf(texts[0]!)}]]\n`],
      [`Talk_${articleOf(texts[0]!)}`, "Should this page say more? --Admin\n"],
      ...texts.map((text, at): [string, string] => [
        articleOf(text),
        `${toMediaWiki(text)}\n\n[[Category:${CATEGORIES[at % CATEGORIES.length]}]]\n`,
      ]),
    ]
    for (const [name, text] of articles)
      await writeFile(join(site, "texts", `${name.replace(/^Talk_/, "Talk:")}.txt`), text)
    const files = (await readdir(join(site, "texts"))).map((name) => join(site, "texts", name))
    await maintain("importTextFiles.php", "--user", "Admin", "--overwrite", ...files)
    await writeFile(files[0]!, "Edited once more.\n", { flag: "a" })
    await maintain("importTextFiles.php", "--user", "Admin", "--overwrite", files[0]!)
    await maintain("runJobs.php")
  })
  const address = (name: string) => `/index.php/${name.replaceAll(" ", "_")}`
  const asked = texts.at(-1)!
  return {
    name: "mediawiki",
    program: "MediaWiki 1.39 on SQLite, addresses as installed",
    start: "/",
    pages: [
      { path: address("Main Page"), title: "Main Page" },
      ...texts.map((text) => ({ path: address(articleOf(text)), title: articleOf(text) })),
    ],
    junk: MEDIAWIKI_JUNK,
    question: questionOf(asked, address(articleOf(asked))),
    serve: (port, more) => serveByPhp(folder, port, program, { ...env, ...more }),
  }
}

const CATEGORIES = ["Parsing", "Networking", "Terminals"]

/** The title that MediaWiki derives from a name: its first letter is a capital. */
function articleOf({ title }: Text): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}
