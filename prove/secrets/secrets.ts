import { randomBytes } from "node:crypto"
import { execFile, spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { environment } from "#base/settings.ts"
import { freePort } from "#base/testing/free-port.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"

import { features } from "../../api/features.ts"
import { describedBy } from "../../api/openapi/document.ts"
import { processTree } from "../../bench/measure.ts"
import { type Effort, type Outcome, type Proof, settingsOf } from "../proof.ts"
import { sendSignal } from "../running/send-signal.ts"
import { FILE_SETTINGS, given, SECRET_SETTINGS } from "./given.ts"
import { soon, useHooksAndFeeds } from "./hooks-and-feeds.ts"
import { startCollector, startEchoMail, startEchoPostgres, startEchoServer } from "./hostile-server.ts"
import { keptIn } from "./kept.ts"
import { Marks } from "./marks.ts"
import { useOAuth } from "./program.ts"

const { operations } = await describedBy(features)

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")
const asFile = promisify(execFile)
const QUIET_MS = 200
const PATIENCE = 300

/** A use of the appliance that was to happen. */
interface Used {
  readonly part: string
  readonly isGood: boolean
}

export interface Leaks {
  /** Secrets that were found, and where. */
  readonly found: readonly string[]
  /** Texts and files that were searched. */
  readonly places: number
  readonly secrets: number
  readonly used: readonly Used[]
  /** Settings that may hold a secret, or name a file of one, and were given none. */
  readonly missing: readonly string[]
  /** Secrets that the appliance makes for itself and a backup holds, by name. */
  readonly kept: readonly string[]
}

/** Gives an appliance secrets everywhere one can be, uses them in every way, and looks for them in what it says and keeps. */
export async function leaks({ tell, scale }: Pick<Effort, "tell" | "scale">): Promise<Leaks> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), "fossick-secrets-"))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const echo = opened.use(await startEchoServer())
  const mail = opened.use(await startEchoMail())
  const collector = opened.use(await startCollector())
  const postgres = opened.use(await startEchoPostgres())
  // A short run starts few commands, each of which is a process, and makes no vectors.
  const isShort = scale < 1
  const vectors = isShort
    ? { ...settingsOf({ scale }), ...opened.use(await startCheapVectors()).settings }
    : {}
  const marks = new Marks()
  const places: [string, Uint8Array][] = []
  const used: Used[] = []
  const keep = (where: string, what: string | Uint8Array) =>
    void places.push([where, typeof what === "string" ? Buffer.from(what) : what])
  const saw = (part: string, isGood: boolean) => {
    tell(`${part}: ${isGood ? "done" : "NOT DONE"}`)
    used.push({ part, isGood })
  }

  // What is given in files stands there, and nowhere else.
  const givenDir = join(folder, "given")
  await mkdir(givenDir)
  const inFile = async (name: string, mark: string) => {
    await writeFile(join(givenDir, name), mark)
    return join(givenDir, name)
  }
  const clientKey = join(givenDir, "client.key")
  const clientCert = join(folder, "client.pem")
  const pass = `pass:${marks.of("passphrase of a key")}`
  const subject = ["-subj", "/CN=crawler", "-passout", pass]
  await asFile("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-keyout",
    clientKey,
    "-out",
    clientCert,
    ...subject,
  ])
  marks.add("client certificate's key", (await readFile(clientKey, "utf8")).split("\n")[2]!)
  const reports = join(folder, "reports")
  await mkdir(reports)
  const port = await freePort()
  const dataDir = join(folder, "data")
  const url = `http://127.0.0.1:${port}`
  // A topic has letters and digits alone.
  const topic = randomBytes(12).toString("hex")
  marks.add("topic of ntfy", topic)
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_PORT: String(port),
    FOSSICK_HANDBOOK: "off",
    FOSSICK_MAX_TRIES: "1",
    FOSSICK_MAX_WAIT_MS: "1000",
    FOSSICK_PUBLIC_URL: url,
    ...vectors,
    FOSSICK_API_KEY: marks.of("operator's key"),
    FOSSICK_HUMAN_ID_SECRET: marks.of("secret of the ids of people"),
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
    FOSSICK_LLM_URL: `${echo.url}/v1`,
    FOSSICK_LLM_MODEL: "any",
    FOSSICK_LLM_API_KEY: marks.of("language model's key"),
    FOSSICK_LLM_BODY: JSON.stringify({ gateway: marks.of("key in the body of a language model") }),
    FOSSICK_RERANKER_URL: `${echo.url}/reranker`,
    FOSSICK_RERANKER_MODEL: "any",
    FOSSICK_RERANKER_KEY: `file:${await inFile("reranker", marks.of("reranker's key"))}`,
    FOSSICK_SMTP_URL: `smtp://fossick@127.0.0.1:${mail.port}`,
    FOSSICK_SMTP_PASSWORD: "${MAIL_PASSWORD}",
    MAIL_PASSWORD: marks.of("mail password"),
    FOSSICK_ALERT_EMAIL: "operator@example.com",
    FOSSICK_ALERT_AFTER: "1",
    FOSSICK_ALERT_WEBHOOK: `${echo.url}/hook-alert`,
    FOSSICK_ALERT_WEBHOOK_SECRET: "${ALERT_SECRET}",
    ALERT_SECRET: marks.of("alert webhook's secret"),
    FOSSICK_ALERT_NTFY: `${echo.url}/${topic}`,
    FOSSICK_ALERT_NTFY_TOKEN: "${NTFY_TOKEN}",
    NTFY_TOKEN: marks.of("token of an ntfy topic"),
    FOSSICK_PROXY: `http://crawler:${encodeURIComponent(marks.of("proxy password"))}@127.0.0.1:${echo.port}`,
    FOSSICK_PROXY_LOOKUP: "proxy",
    X402_PAY_TO: "0x1111111111111111111111111111111111111111",
    X402_NETWORK: "eip155:84532",
    X402_FACILITATOR_URL: `${echo.url}/facilitator`,
    X402_PUBLIC_URL: "https://paid.example.com",
    X402_RPC_URL: `${echo.url}/rpc/${encodeURIComponent(marks.of("key in the address of a node"))}`,
    X402_VERIFY_BEARER: marks.of("facilitator's token to verify"),
    X402_SETTLE_BEARER: marks.of("facilitator's token to settle"),
    FOSSICK_X402_PORT: String(await freePort()),
    FOSSICK_X402_SOURCES: "open",
    FOSSICK_LOG_FORMAT: "text",
    FOSSICK_LOG_LEVEL: "debug",
    FOSSICK_TRACES_URL: collector.url,
    FOSSICK_CONFIG_FILE: await inFile("settings", `FOSSICK_TRACES_KEY=${marks.of("traces' key")}\n`),
    FOSSICK_TRACES_TEXT: "on",
    FOSSICK_PEERS_FILE: join(folder, "peers.yaml"),
    PEER_KEY: marks.of("key of a peer"),
    SITE_PASSWORD: marks.of("site password"),
    SITE_TOKEN: marks.of("site token"),
    FOSSICK_API_SECRETS: "API_TOKEN",
    API_TOKEN: marks.of("token of a source of the API"),
    SITE_COOKIE: marks.of("site cookie"),
    FORM_PASSWORD: marks.of("form password"),
    HOOK_SECRET: marks.of("source webhook's secret"),
    KEY_PASSPHRASE: marks.of("passphrase of a key"),
    // What an operator may have Node write when a process crashes.
    NODE_OPTIONS: `--report-on-signal --report-on-fatalerror --report-uncaught-exception --report-directory=${reports}`,
  }
  await writeFile(
    env["FOSSICK_PEERS_FILE"]!,
    `peers:
  - { name: refuses, url: "${echo.url}", key: "\${PEER_KEY}", networks: ["127.0.0.1"] }
  - { name: silent, url: "http://127.0.0.1:${await freePort()}", key: "\${PEER_KEY}", networks: ["127.0.0.1"] }
`,
  )
  const sources = join(folder, "sources.yaml")
  const hook = `    webhooks: [{ url: "${echo.url}/hook-source", secret: "\${HOOK_SECRET}", events: [finished, changed] }]`
  await writeFile(
    sources,
    `sources:
  - name: open
    seeds: ${echo.url}/open
${hook}
  - name: basic
    seeds: ${echo.url}/basic
    login: { kind: basic, user: crawler, password: "\${SITE_PASSWORD}" }
  - name: filed
    seeds: ${echo.url}/open-filed
    login: { kind: basic, user: crawler, password: "file:${await inFile("site", marks.of("site password in a file"))}" }
  - name: later
    seeds: ${echo.url}/open-later
  - name: headers
    seeds: ${echo.url}/headers
    login: { kind: headers, headers: { Authorization: "Bearer \${SITE_TOKEN}" } }
  - name: headers-good
    seeds: ${echo.url}/open-headers
    login: { kind: headers, headers: { Authorization: "Bearer \${SITE_TOKEN}" } }
  - name: cookies
    seeds: ${echo.url}/cookies
    login: { kind: cookies, cookies: { session: "\${SITE_COOKIE}" } }
  - name: form
    seeds: ${echo.url}/open-form
    login: { kind: form, url: "${echo.url}/form", fields: { user: crawler, pass: "\${FORM_PASSWORD}" } }
  - name: certificate
    seeds: https://127.0.0.1:${echo.port}/certificate
    clientCert: { cert: "file:${clientCert}", key: "file:${clientKey}", passphrase: "\${KEY_PASSPHRASE}" }
  - name: proxied
    seeds: http://site.proxied.example/
`,
  )

  const wasGiven = new Set<string>()
  const fossick = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    new Promise<{ code: number; out: string }>((done) => {
      noteGiven(more)
      execFile(
        process.execPath,
        [FOSSICK, ...args],
        { cwd: folder, env: { ...env, ...more }, maxBuffer: 64_000_000 },
        (error, out, err) => {
          keep(`fossick ${args.join(" ")}`, `${out}\n${err}`)
          done({ code: error === null ? 0 : Number(error.code ?? 1), out: `${out}\n${err}` })
        },
      )
    })
  const noteGiven = (more: Readonly<Record<string, string>> = {}) => {
    for (const name of given(environment({ ...env, ...more }), marks)) wasGiven.add(name)
  }
  const call = async (path: string, init: RequestInit & { readonly key?: string } = {}) => {
    const { key = env["FOSSICK_API_KEY"]!, headers, ...rest } = init
    const response = await fetch(url + path, {
      ...rest,
      headers: {
        ...(key !== "" && { Authorization: `Bearer ${key}` }),
        ...(rest.body != null && { "Content-Type": "application/json" }),
        ...(headers as Record<string, string>),
      },
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    const said = JSON.stringify([...response.headers].filter(([name]) => name !== "set-cookie"))
    return { status: response.status, text, headers: response.headers, said: `${said}\n${text}` }
  }
  const post = (path: string, body: object, more: Parameters<typeof call>[1] = {}) =>
    call(path, { method: "POST", body: JSON.stringify(body), ...more })
  const run = async (format: "text" | "json", use: (pids: readonly number[]) => Promise<void>) => {
    noteGiven()
    const child = spawn(process.execPath, [FOSSICK, "start"], {
      cwd: folder,
      env: { ...env, FOSSICK_LOG_FORMAT: format },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)))
    const ended = new Promise((done) => child.once("close", done))
    try {
      let isUp = false
      for (let tries = 0; tries < PATIENCE && !isUp; tries += 1) {
        await quiet()
        isUp = await call("/healthz").then(
          ({ status }) => status === 200,
          () => false,
        )
      }
      if (!isUp) throw new Error(`it did not start: ${text.slice(-1000)}`)
      await use(processTree(child.pid!))
    } finally {
      child.kill("SIGTERM")
      await ended
      keep(`the log (${format})`, text)
    }
  }

  const aKey = async () => {
    const how = { cwd: folder, env }
    const { stdout } = await asFile(process.execPath, [FOSSICK, "keys", "create", "--json"], how)
    return (JSON.parse(stdout) as { readonly key: string }).key
  }

  const backup = join(folder, "backup.tar")
  const applied = await fossick({}, "sources", "apply", "sources.yaml")
  saw("sources are declared", applied.code === 0)
  if (applied.code !== 0) throw new Error(applied.out)
  // Keys for everybody who sends none. What makes a key shows it.
  for (const [name, setting] of [
    ["key of those who search by SearXNG's form", "FOSSICK_SEARXNG_KEY"],
    ["key of those who did not sign in", "FOSSICK_OPEN_KEY"],
  ] as const) {
    // One key may be both.
    const made = isShort ? env["FOSSICK_SEARXNG_KEY"] : undefined
    // oxlint-disable-next-line no-await-in-loop -- one store
    env[setting] = made ?? (await aKey())
    marks.add(name, env[setting])
  }
  await run("text", async (pids) => {
    for (const name of [
      "open",
      "basic",
      "filed",
      "headers",
      "headers-good",
      "cookies",
      "form",
      "certificate",
      "proxied",
    ])
      await call(`/admin/sources/${name}/run`, { method: "POST" })
    let jobs: readonly { id: number; state: string }[] = []
    for (let tries = 0; tries < PATIENCE * 2; tries += 1) {
      jobs = (JSON.parse((await call("/admin/jobs?limit=100")).text) as { jobs: typeof jobs }).jobs
      if (jobs.length >= 9 && jobs.every(({ state }) => ["finished", "failed", "cancelled"].includes(state)))
        break
      await quiet()
    }
    saw(
      "every source is run, those that fail too",
      jobs.length >= 9 && jobs.some(({ state }) => state === "finished"),
    )

    const made = JSON.parse((await post("/admin/keys", { name: "marked" })).text) as {
      key: string
      id: string
    }
    marks.add("key that was made", made.key)
    const other = JSON.parse((await post("/generate-keys", { num_keys: 1 })).text) as object
    const [generated] = /fsk-[\w-]{20,}/.exec(JSON.stringify(other)) ?? []
    if (generated !== undefined) marks.add("key that was generated", generated)
    const origin = { Origin: url }
    const signedIn = await post("/session", { key: made.key }, { key: "", headers: origin })
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    marks.add("session", cookie.slice(cookie.indexOf("=") + 1))
    keep("POST /session", signedIn.said)
    saw("somebody signs in", cookie !== "")
    for (const who of [{ key: made.key }, { key: "", headers: { ...origin, Cookie: cookie } }])
      keep(
        "POST /search",
        (
          await post(
            "/search",
            { query: "how are pumps cleaned?", search_depth: "advanced", include_answer: true },
            who,
          )
        ).said,
      )
    keep(
      "POST /search again",
      (
        await post("/search", {
          query: "why are pumps cleaned?",
          search_depth: "advanced",
          include_answer: "advanced",
        })
      ).said,
    )
    keep("POST /research", (await post("/research", { input: "how are pumps cleaned?" })).said)
    for (const page of ["/open", "/basic", "/none"])
      keep(`POST /extract ${page}`, (await post("/extract", { urls: [echo.url + page] })).said)

    saw("a program is let in by OAuth", await useOAuth(url, made.key, marks))

    const runOf = (name: string) => call(`/admin/sources/${name}/run`, { method: "POST" })
    saw(
      "a watch and a crawl job tell what happens",
      await useHooksAndFeeds(
        echo.url,
        () => runOf("later"),
        {
          get: (path, key) => call(path, key === undefined ? {} : { key }),
          post: (path, body) => post(path, body),
          keep,
        },
        marks,
      ),
    )
    const bySearxng = await call("/searxng/search?q=pumps&format=json", { key: "" })
    keep("GET /searxng/search", bySearxng.said)
    const unsigned = await post(
      "/search",
      { query: "pumps" },
      { key: "", headers: { ...origin, "Sec-Fetch-Site": "same-origin" } },
    )
    keep("POST /search without a key", unsigned.said)
    saw(
      "those without a key have the ones that are open",
      bySearxng.status === 200 && unsigned.status === 200,
    )
    const login = { kind: "headers", headers: { Authorization: "Bearer ${API_TOKEN}" } }
    const overApi = await call("/admin/sources/api", {
      method: "PUT",
      body: JSON.stringify({ seeds: `${echo.url}/open-api`, login }),
    })
    keep("PUT /admin/sources/api", overApi.said)
    const { id: ofApi } = JSON.parse((await runOf("api")).text) as { id: number }
    const hasRead = await soon(async () => {
      const { said, text } = await call(`/admin/jobs/${ofApi}`)
      keep(`GET /admin/jobs/${ofApi}`, said)
      return /"state":"(?:finished|failed|cancelled)"/.test(text)
    })
    saw(
      "a source of the API has its secret",
      hasRead && echo.wasShown(marks.of("token of a source of the API")),
    )

    // Keys that are wrong, in every place where somebody may put one.
    const wrong = marks.of("key that is wrong")
    const typed = [
      call("/admin/jobs", { key: wrong }),
      call("/search", {
        key: "",
        headers: { Authorization: `Basic ${Buffer.from(`any:${wrong}`).toString("base64")}` },
      }),
      post("/search", { query: "pumps", api_key: wrong }, { key: "" }),
      call(`/search?api_key=${encodeURIComponent(wrong)}&query=x`, { key: "" }),
      call(`/admin/audit?from=${encodeURIComponent("x")}&key=${encodeURIComponent(wrong)}`),
      call("/session", { method: "POST", key: "", body: JSON.stringify({ key: wrong }), headers: origin }),
      call("/session", { key: "", headers: { Cookie: `fossick_session=${encodeURIComponent(wrong)}` } }),
      call("/search", { method: "POST", body: `{"api_key": "${wrong}", "query": ` }),
      post("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize" }, { key: wrong }),
      post("/token", { client_secret: wrong }, { key: wrong }),
      post("/v2/scrape", { url: `${echo.url}/open` }, { key: wrong }),
    ]
    // What they answer may repeat what the caller typed himself; what is kept of it may not.
    saw(
      "keys that are wrong are refused",
      (await Promise.all(typed)).every(({ status }) => status >= 400 || status === 200),
    )

    keep(
      "POST /admin/sources/preview",
      (
        await post("/admin/sources/preview", {
          source: {
            name: "typed",
            seeds: `${echo.url}/open`,
            login: { kind: "headers", headers: { Authorization: "Bearer ${SITE_TOKEN}" } },
          },
        })
      ).said,
    )
    if (!isShort) keep("fossick alerts test", (await fossick({}, "alerts", "test")).out)
    await call("/admin/alerts/test", { method: "POST" }).then(({ said }) =>
      keep("POST /admin/alerts/test", said),
    )
    saw("alerts are tried", true)

    // Everything that can be looked at.
    let looked = 0
    for (const { method, path } of operations) {
      // Who made a watch is shown the address of its feed.
      if (method !== "get" || path.includes("{") || path === "/admin/events" || path === "/watches") continue
      keep(`GET ${path}`, (await call(path)).said)
      looked += 1
    }
    for (const { id } of jobs) keep(`GET /admin/jobs/${id}`, (await call(`/admin/jobs/${id}`)).said)
    for (const name of ["basic", "headers", "cookies", "form", "certificate", "proxied", "open"]) {
      keep(`GET /admin/sources/${name}`, (await call(`/admin/sources/${name}`)).said)
      keep(`GET /admin/sources/${name}/written`, (await call(`/admin/sources/${name}/written`)).said)
    }
    keep("GET /admin/events", (await call("/admin/events?seconds=1")).said)
    keep("GET /metrics", (await call("/metrics")).said)
    keep("GET /console", (await call("/console", { key: "" })).said)
    saw("every call that shows something is made", looked > 30)

    const commands = [
      ["doctor", "--json"],
      ["doctor"],
      ["keys", "list", "--json"],
      ["sources", "list", "--json"],
      ["sources", "show", "basic"],
      ["sources", "show", "proxied", "--json"],
      ["backup", backup],
      ["jobs", "list", "--json"],
      ["audit", "--json"],
      ["index", "status", "--json"],
      ["outbound", "--json"],
      ["payments", "outcomes", "--json"],
      ["why", `${echo.url}/basic`, "--json"],
      ["try", `${echo.url}/basic`, "--source", "basic"],
      ["try", "http://site.proxied.example/"],
      ["queries"],
      ["export", join(folder, "index.export")],
    ]
    for (const args of commands.filter(([name], at) => !isShort || at === 0 || name === "backup"))
      await fossick({}, ...args)
    const elsewhere = (settings: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      fossick({ ...settings, FOSSICK_DATA_DIR: join(folder, "elsewhere") }, ...args)
    // Servers that refuse a key or a password and repeat it, and those that nobody reaches.
    const embeddings = {
      FOSSICK_EMBEDDINGS_URL: `${echo.url}/embeddings`,
      FOSSICK_EMBEDDINGS_MODEL: "any",
      FOSSICK_EMBEDDINGS_KEY: marks.of("embeddings' key"),
    }
    const meili = { FOSSICK_ENGINE: "meilisearch", FOSSICK_MEILI_URL: echo.url }
    const meiliFile = await inFile("meilisearch", marks.of("Meilisearch key in a file"))
    const opensearch = (address: string) => ({
      FOSSICK_ENGINE: "opensearch",
      FOSSICK_OPENSEARCH_URLS: address,
      FOSSICK_OPENSEARCH_USER: "fossick",
    })
    const nobody = `http://127.0.0.1:${await freePort()}`
    const password = { FOSSICK_OPENSEARCH_PASSWORD: marks.of("OpenSearch password") }
    const passwordFile = {
      FOSSICK_OPENSEARCH_PASSWORD_FILE: await inFile("opensearch", marks.of("OpenSearch password in a file")),
    }
    const indexes = [
      { ...meili, FOSSICK_MEILI_KEY: marks.of("Meilisearch key") },
      { ...meili, FOSSICK_MEILI_KEY_FILE: meiliFile },
      { ...opensearch(echo.url), ...password },
      { ...opensearch(nobody), ...passwordFile },
    ]
    const state = (address: string, secret: string) => ({
      FOSSICK_STATE: address,
      FOSSICK_STATE_PASSWORD: secret,
    })
    const unreachable = `postgres://fossick@127.0.0.1:${await freePort()}/fossick`
    const stateFile = await inFile("state", marks.of("PostgreSQL password in a file"))
    const states = [
      state(postgres.url, marks.of("PostgreSQL password")),
      state(unreachable, marks.of("PostgreSQL password")),
    ]
    const typedPeers = join(folder, "typed-peers.yaml")
    await writeFile(
      typedPeers,
      `peers: [{ name: typed, url: "${echo.url}", key: "\${PEER_KEY}", cost: 1 }, { name: typed, url: "x y", key: "\${NO_SUCH}" }]`,
    )
    const peers = { FOSSICK_PEERS_FILE: typedPeers }
    if (isShort) {
      // The doctor looks at each part, whatever it says of the others.
      const others = [{ ...embeddings, ...states[0] }, states[1], peers]
      for (const [at, index] of indexes.entries()) await elsewhere({ ...index, ...others[at] }, "doctor")
    } else {
      await fossick(embeddings, "doctor")
      const more = [
        { ...opensearch(echo.url), ...passwordFile },
        { ...opensearch(nobody), ...password },
      ]
      for (const one of [embeddings, ...indexes, ...more]) {
        await elsewhere(one, "doctor")
        await elsewhere(one, "search", "pumps")
      }
      for (const one of [...states, state(postgres.url, `file:${stateFile}`)]) {
        await elsewhere(one, "doctor")
        await elsewhere(one, "keys", "list")
      }
      await fossick(peers, "doctor")
    }
    saw("PostgreSQL is shown its password", postgres.passwords.includes(marks.of("PostgreSQL password")))
    // Settings that are wrong.
    const inAddress = `postgres://fossick:${encodeURIComponent(marks.of("password in an address"))}@127.0.0.1/fossick`
    await elsewhere({ FOSSICK_STATE: inAddress }, "doctor")
    const wrongSettings = {
      FOSSICK_PROXY: `ftp://crawler:${encodeURIComponent(marks.of("proxy password"))}@x y`,
      FOSSICK_API_KEY: "short",
    }
    if (!isShort) {
      const { FOSSICK_PROXY, FOSSICK_API_KEY } = wrongSettings
      await fossick({ FOSSICK_PROXY }, "crawl", `${echo.url}/open`)
      await fossick({ FOSSICK_API_KEY }, "doctor")
    }
    // Addresses that take no password, with one.
    const withPassword = ([name, scheme]: readonly [string, string]) => [
      name,
      `${scheme}://user:${encodeURIComponent(marks.of(`password in ${name}`))}@server.example`,
    ]
    const wrongAddresses = Object.fromEntries(ADDRESSES.map(withPassword)) as Record<string, string>
    const told = await fossick({ ...wrongAddresses, ...(isShort && wrongSettings) }, "doctor")
    saw(
      "addresses with passwords are refused",
      ADDRESSES.every(([name]) => told.out.includes(name)),
    )
    if (isShort) {
      const isTold = Object.keys(wrongSettings).every((name) => told.out.includes(name))
      saw("wrong settings are refused", isTold)
    }

    // What Node writes of a process that crashes, or is asked to.
    for (const pid of pids) sendSignal(pid, "SIGUSR2")
    for (let tries = 0; tries < PATIENCE && (await readdir(reports)).length < pids.length; tries += 1)
      await quiet()
    saw("reports of the processes are written", (await readdir(reports)).length >= pids.length)
    for (const pid of pids)
      keep(`arguments of a process`, await readFile(`/proc/${pid}/cmdline`).catch(() => Buffer.alloc(0)))
  })
  // JSON lines, and a process that dies in the midst of it.
  await run("json", async (pids) => {
    await post("/search", { query: "pumps", include_answer: true })
    await post("/extract", { urls: [`${echo.url}/basic`] })
    await call("/admin/sources/basic/run", { method: "POST" })
    await call("/admin/sources/proxied/run", { method: "POST" })
    for (const pid of pids.slice(1)) sendSignal(pid, "SIGABRT")
    for (let tries = 0; tries < PATIENCE; tries += 1) {
      const { status } = await call("/healthz").catch(() => ({ status: 0 }))
      if (status === 200) break
      await quiet()
    }
    saw("it is back after its processes died", (await call("/healthz")).status === 200)
  })
  for (const [at, body] of collector.bodies.entries()) keep(`traces ${at}`, body)
  saw("traces are sent", collector.bodies.length > 1)
  const unpacked = join(folder, "unpacked")
  await mkdir(unpacked)
  await asFile("tar", ["-xf", backup, "-C", unpacked, "state.db"])
  const kept = keptIn(join(unpacked, "state.db"))
  saw(
    `secrets stand in no other column of a backup${kept.others.map((one) => `, but ${one}`).join("")}`,
    kept.others.length === 0,
  )
  // Everything that is left: the data folder, the backup, the export, the reports.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !file.startsWith(givenDir) && !/^core\b/.test(entry.name))
      keep(file.slice(folder.length), await readFile(file))
  }
  const own = new Marks()
  for (const [name, secret] of kept.secrets) own.add(`the appliance's own secret "${name}"`, secret)
  const stands = new RegExp("^/(?:data/state\\.db(?:-wal|-shm)?|unpacked/state\\.db|backup\\.tar)$")
  const found = places.flatMap(([where, bytes]) =>
    [...marks.in(bytes), ...(stands.test(where) ? [] : own.in(bytes))].map((what) => `${what} in ${where}`),
  )
  return {
    found,
    places: places.length,
    secrets: marks.names.length + own.names.length,
    used,
    missing: [...SECRET_SETTINGS, ...FILE_SETTINGS].filter((name) => !wasGiven.has(name)),
    kept: [...kept.secrets.keys()],
  }
}

/** Settings that take the address of a server and no password in it. */
const ADDRESSES = [
  ["FOSSICK_PUBLIC_URL", "https"],
  ["FOSSICK_LLM_URL", "https"],
  ["FOSSICK_MODEL_HUB", "https"],
  ["FOSSICK_MEILI_URL", "http"],
  ["FOSSICK_EMBEDDINGS_URL", "https"],
  ["FOSSICK_RERANKER_URL", "https"],
  ["FOSSICK_OPENSEARCH_URLS", "https"],
  ["FOSSICK_SMTP_URL", "smtps"],
  ["FOSSICK_TRACES_URL", "https"],
  ["FOSSICK_ALERT_NTFY", "https"],
  ["X402_FACILITATOR_URL", "https"],
  ["X402_PUBLIC_URL", "https"],
  // A right one is no secret to admins and backups, as with all webhooks.
  ["FOSSICK_ALERT_WEBHOOK", "ftp"],
] as const

const quiet = (): Promise<void> => new Promise((done) => setTimeout(done, QUIET_MS))

export const proof: Proof = {
  title: "Secrets",
  promise:
    "No secret that the appliance is given stands in what it says or keeps. An appliance is given secrets that can be told from anything else, everywhere one can be (in every setting that may hold one, in files and by the names of variables), and servers that repeat what they refuse; each is used with success and in vain. Among them are codes and tokens of OAuth, passwords of PostgreSQL and OpenSearch, which refuse them or cannot be reached, keys of peers, tokens of feeds and secrets that sign webhooks. Then its logs, errors, answers, metrics, traces, console calls, exports, backups, Node's reports of crashes and all its files are searched for them: as they are, and encoded for addresses, forms, JSON, in hexadecimal and base64. What the appliance signs with and made for itself stands in its state and in [backups](backup-and-restore.md#what-is-in-it) of it, and nowhere else.",
  async run(effort): Promise<Outcome> {
    const { found, places, secrets, used, missing } = await leaks(effort)
    return {
      columns: ["secrets", "texts and files searched", "found"],
      rows: [[secrets, places, found.length]],
      faults: [
        ...found,
        ...used.filter(({ isGood }) => !isGood).map(({ part }) => `not done: ${part}`),
        ...missing.map((name) => `no secret was given in ${name}`),
      ],
    }
  },
}
