import { METHODS } from "node:http"

import { Router } from "@koa/router"
import Koa from "koa"
import type { Logger } from "pino"

import { concealingReader } from "#crawler/visit/concealing-reader.ts"
import type { Reader } from "#crawler"
import type { Rereader } from "#crawler/reread/rereader.ts"
import type { Embedder, Engine } from "#engine"
import type { DiskRoom } from "#base/disk-space.ts"
import type { Values } from "#base/settings.ts"

import { slowGuesses } from "./sessions/wrong-keys.ts"
import type { Accounts } from "./accounts/accounts.ts"
import { Admissions } from "./accounts/limits/admission.ts"
import type { Endpoint } from "./accounts/keys/key-scope.ts"
import type { ReachParts } from "./accounts/reach/reach.ts"
import type { AdminParts } from "./admin/admin-parts.ts"
import { lazyAdmin } from "./admin/lazy-admin.ts"
import type { AnswerParts } from "./answers/answer.ts"
import type { ChatModel } from "./chat-models/chat-model.ts"
import { apiSettings } from "./settings.ts"
import type { Context, Middleware, RequestState } from "./context.ts"
import { openBuilt } from "./faces/built.ts"
import { faces } from "./faces/faces.ts"
import type { Federation } from "./federation/federation.ts"
import { handingOn } from "./federation/federated-engine.ts"
import { pageCounter } from "./federation/page-count.ts"
import type { FirecrawlJobs } from "./firecrawl/open-firecrawl.ts"
import type { QuestionMeter } from "./history/question-meter.ts"
import { firecrawlApi } from "./firecrawl/refusal.ts"
import { firecrawlRoutes } from "./firecrawl/routes.ts"
import { handbook } from "./handbook/handbook.ts"
import { type Check, EXCLUDABLE, healthOf } from "./health/health.ts"
import { oneOfParameter } from "./middleware/query-parameters.ts"
import { httpServer } from "./server/http-server.ts"
import { nameCheck } from "./server/own-names.ts"
import { boundsOf } from "./load/bounds.ts"
import type { Connections } from "./load/connections.ts"
import type { Gates } from "./load/gates.ts"
import { KeylessBudget } from "./load/keyless/keyless-budget.ts"
import type { Memory } from "./load/memory/memory.ts"
import type { LoadParts } from "./metrics/load-metrics.ts"
import type { MetricsParts, BackupResults, JobCounts } from "./metrics/recorder.ts"
import { openDoor } from "./doors/door.ts"
import { admission } from "./middleware/admission.ts"
import { auditing } from "./audit/auditing.ts"
import { authentication, bearerOf } from "./middleware/authentication.ts"
import { degradation } from "./answers/degradation.ts"
import { errorEnvelope } from "./middleware/error-envelope.ts"
import { arrivingBodies, jsonBody } from "./middleware/json-body.ts"
import { requestId } from "./middleware/request-id.ts"
import { logUnwritten, requestLog } from "./middleware/request-log.ts"
import { roomOnDisk } from "./doors/room-on-disk.ts"
import { tracedRequests } from "./traces/traced-requests.ts"
import { tracking } from "./middleware/tracking.ts"
import type { OAuth } from "./oauth/oauth-endpoints.ts"
import { reference } from "./openapi/serve.ts"
import type { PageKnowledge } from "./pages/page-knowledge.ts"
import type { MissKnowledge } from "./misses/miss-knowledge.ts"
import { openaiApi } from "./openai/refusal.ts"
import { openaiRoutes } from "./openai/routes.ts"
import { openWebuiRoutes } from "./openwebui/routes.ts"
import { PAGE_PATHS, pageRoutes } from "./pages/routes.ts"
import type { Thumbnails } from "./pages/thumbnails.ts"
import type { QueryLog } from "./queries/query-log.ts"
import { HANDBOOK_KEY } from "./public-keys/handbook-key.ts"
import { publicDoor, type PublicDoorParts } from "./public-keys/door.ts"
import { publicSearch } from "./public-keys/public-search.ts"
import { refuseAll } from "./read-only.ts"
import { searxngApi, searxngRoutes } from "./searxng/routes.ts"
import { tokenOf } from "./sessions/cookie.ts"
import { keyless } from "./sessions/keyless.ts"
import { openKeyOf, presented } from "./sessions/presented.ts"
import { SESSION_PATH, sessionRoutes } from "./sessions/routes.ts"
import type { Sessions } from "./sessions/sessions.ts"
import { service } from "./frame/service.ts"
import type { serviceSettings } from "./frame/service-settings.ts"
import { research, type ResearchEndpointParts, researchStatus } from "./research/research.ts"
import { crawl } from "./tavily/crawl.ts"
import { extract, type LiveParts } from "./tavily/extract.ts"
import { LiveMemory } from "./core/read/live-memory.ts"
import { map } from "./tavily/map.ts"
import { SUGGEST_PATH, suggestRoutes } from "./suggestions/routes.ts"
import { search } from "./tavily/search.ts"
import type { FormKnowledge } from "./core/ask/other-forms.ts"
import type { ImageKnowledge } from "./core/ask/search-images.ts"
import type { Watches } from "./watches/open-watches.ts"
import { WATCH_PATH, watchRoutes } from "./watches/routes.ts"
import { ACCOUNT_PATHS, accountRoutes } from "./usage/routes.ts"

export type ApiConfig = Values<typeof apiSettings>

export interface AppParts extends Omit<LiveParts, "memory" | "misses" | "embedder" | "mostHops"> {
  readonly embedder: Pick<Embedder, "id" | "dimensions" | "traits" | "embed">
  readonly engine: Engine
  /** Reads live pages. */
  readonly reader: Reader
  /** Reads pages of the index again; left out: nothing does. */
  readonly rereader?: Pick<Rereader, "read">
  readonly images: ImageKnowledge
  /** The images themselves, as crawls saw them; left out, none are served. */
  readonly thumbnails?: Thumbnails
  readonly forms: FormKnowledge
  /** What crawls know of the pages of the index. */
  readonly pages: PageKnowledge
  /** What they know of what is missing there; left out, nobody is told why nothing was found. */
  readonly misses?: MissKnowledge
  /** Lets programs in over MCP; without it they need a key. */
  readonly oauth?: OAuth
  /** Counts questions; left out: nobody does. */
  readonly questions?: QuestionMeter
  /** Where questions are noted; left out: nowhere. */
  readonly queries?: QueryLog
  /** Saved questions; without it none are served. */
  readonly watches?: Watches
  /** Those who signed in on a page; without it nobody can. */
  readonly sessions?: Sessions
  /** What the appliance is called on its pages; left out, it has no name. */
  readonly applianceName?: () => string | null
  /** The public key of the handbook; left out, there is none. */
  readonly handbookKey?: PublicDoorParts["handbookKey"]
  readonly statementReranker: AnswerParts["statementReranker"]
  /** Writes answers; null leaves them to the pages' own sentences. */
  readonly chatModel: ChatModel | null
  readonly accounts: Accounts
  /** Which addresses belong to sources. */
  readonly sites: ReachParts["sites"]
  /** The names of all sources. */
  readonly sourceNames: ReachParts["sourceNames"]
  /** Makes reports; without it no research is served. */
  readonly research?: ResearchEndpointParts
  /** Jobs of Firecrawl's API; without them none are taken. */
  readonly firecrawl?: FirecrawlJobs
  /** Opens what the admin API works on, with its first request; without it none is served. */
  readonly admin?: () => Promise<AdminParts>
  /** Other appliances that are asked beside the index; left out: none. */
  readonly federation?: Pick<Federation, "engine" | "holderOf" | "mostHops" | "counts" | "sourceNames">
  /** Counted in the metrics. */
  readonly jobs: JobCounts
  readonly backups: BackupResults
  readonly sourceResults: MetricsParts["sourceResults"]
  readonly indexState?: MetricsParts["indexState"]
  /** How requests to the paid search ended, for the metrics; null or left out where none are sold. */
  readonly sales?: () => ReadonlyMap<string, number> | null
  /** Those of the process, counted in the metrics. */
  readonly connections: LoadParts["connections"] & Pick<Connections, "callerOf">
  readonly gates: Gates
  readonly memory: Memory
  readonly log: Logger
  readonly config: Pick<
    ApiConfig,
    | "callMemoryMb"
    | "bodyKey"
    | "bodyLimit"
    | "maxResults"
    | "maxAutoResults"
    | "includeDomainsCap"
    | "excludeDomainsCap"
    | "publicUrl"
    | "host"
    | "searxngKey"
    | "openKey"
    | keyof typeof serviceSettings
    | "logQueries"
    | "watchesPerKey"
    | "watchEmails"
    | "rateLimits"
    | "publicRateLimits"
    | "keylessPerMinute"
  >
  /** Folder of the handbook's Markdown. */
  readonly docsDir: string
  /** Folder of the pages for people, of which `dist` is what they were built to; left out, none are served. */
  readonly facesDir?: string
  /** What /readyz looks at, by name. */
  readonly checks: Readonly<Record<string, Check>>
  /** What /readyz shows beside, with no effect on readiness. */
  readonly notes?: Readonly<Record<string, Check>>
  /** The disk of the data folder, for the metrics. */
  readonly room?: Pick<DiskRoom, "freeBytes" | "use" | "isLow">
  /** Whether nothing that callers leave here outlives this process: the data folder is read-only. Left out: it does. */
  readonly keepsNothing?: (() => boolean) | undefined
  /** What everybody who looks is told of an appliance that is read-only; null: it is not. Then nothing is read live. */
  readonly readOnly?: string | null
  /** What /readyz says besides, of parts that work. */
  readonly warnings?: () => readonly string[]
}

/** Those whose shapes are spoken beside our own. */
const OTHER_APIS = [openaiApi, firecrawlApi, searxngApi]

/** The HTTP application, without a socket. It opens and closes nothing. */
export function createApp(parts: AppParts): Koa<RequestState> {
  const { config, readOnly = null, oauth } = parts
  const accounts =
    oauth === undefined ? parts.accounts : { ...parts.accounts, keys: withInside(parts.accounts.keys, oauth) }
  const { collections } = accounts
  const { gates } = parts
  const { rateLimits } = config
  const reader = concealingReader(parts.reader, (url, reason) =>
    parts.log.info({ host: URL.parse(url)?.host, reason }, "a live call could not reach a host"),
  )
  const { memory } = parts
  const { federation } = parts
  const pageCount = pageCounter(parts.engine)
  const admissions = new Admissions({
    accounts,
    rateLimits,
    memory,
    reach: {
      ...parts,
      reader,
      collections,
      sourceNames: () => [...parts.sourceNames(), ...(federation?.sourceNames ?? [])],
      holderOf: federation && ((url) => federation.holderOf(url)),
      federated: federation && ((own) => federation.engine(own, pageCount)),
    },
  })
  // None of them is given the engine or the reader: they come with each request, as far as its key reaches.
  const { embedder, images, forms, statementReranker, chatModel } = parts
  const { misses = null } = parts
  const live: LiveParts = {
    embedder,
    memory: new LiveMemory(memory.live, config),
    misses,
    mostHops: federation?.mostHops ?? 0,
  }
  const endpoints: Readonly<Partial<Record<Endpoint, Middleware>>> = {
    search: search(config, {
      embedder,
      images,
      forms,
      statementReranker,
      chatModel,
      visits: parts.pages,
      misses,
      queries: parts.queries,
      pageCount,
    }),
    ...(readOnly === null
      ? { extract: extract(live), crawl: crawl(live), map: map(live) }
      : { extract: refuseAll(readOnly), crawl: refuseAll(readOnly), map: refuseAll(readOnly) }),
    ...(parts.research && { research: research(parts.research) }),
  }

  const key = authentication(accounts.keys, config)
  const arriving = arrivingBodies(config.bodyLimit)
  const body = jsonBody(config.bodyLimit, arriving)
  // All that Node lets in: what no route takes is answered 405, and not 501 as by itself.
  const router = new Router<RequestState>({ methods: METHODS })
  const { keepsNothing = () => false } = parts
  const room = { isLow: () => keepsNothing() || (parts.room?.isLow() ?? false) }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const admit = admission(admissions, name as Endpoint)
    const held = name === "search" ? [publicSearch()] : name === "research" ? [roomOnDisk(room)] : []
    router.post(`/${name}`, key.beforeBody, body, key.afterBody, ...held, admit, endpoint)
  }
  if (parts.research) {
    const { researchers, tasks } = parts.research
    researchers
      .start((owner) => handingOn(admissions.reach({ ...owner, isPatient: true }).engine))
      .catch((err: unknown) => parts.log.error({ err }, "research tasks cannot be worked on"))
    const status = researchStatus(tasks)
    router.get("/research/:id", authentication(accounts.keys, { bodyKey: false }).beforeBody, status)
  }
  accountRoutes(router, accounts, admissions, { ...config, mayKeep: roomOnDisk({ isLow: keepsNothing }) })
  const { pages: knowledge } = parts
  const jobs = parts.firecrawl && {
    store: parts.firecrawl.store,
    secretOf: parts.firecrawl.secretOf,
    runner: parts.firecrawl.start((key) => admissions.reach({ ...key, isPatient: true })),
  }
  const door = {
    ...live,
    ...openDoor(accounts.keys, admissions, config.bodyLimit, arriving),
    limits: config,
    images,
    statementReranker,
    chatModel,
    knowledge,
    visits: knowledge,
    refuseLive: readOnly === null ? null : refuseAll(readOnly),
  }
  firecrawlRoutes(router, {
    ...door,
    jobs,
    room,
    publicUrl: config.publicUrl,
    ledger: accounts.ledger,
  })
  openWebuiRoutes(router, door)
  openaiRoutes(router, { ...door, embedder })
  const checkName = nameCheck(config)
  searxngRoutes(router, { ...door, keyOfAll: config.searxngKey, publicUrl: config.publicUrl, checkName })
  suggestRoutes(router, { keys: accounts.keys, admissions, queries: parts.queries })
  pageRoutes(router, {
    keys: accounts.keys,
    admissions,
    knowledge,
    misses,
    about: config.about,
    images: parts.thumbnails,
  })
  if (parts.watches) {
    const { watches } = parts
    watchRoutes(router, {
      watches,
      keys: accounts.keys,
      admissions,
      knowledge,
      config,
      room,
      readOnly,
    })
    if (readOnly === null) watches.start((key) => admissions.reach({ ...key, isPatient: true }), config)
  }
  const { sessions, facesDir } = parts
  const browsers = { keys: accounts.keys, openKey: config.openKey, publicUrl: config.publicUrl }
  const { applianceName } = parts
  if (sessions) sessionRoutes(router, { ...browsers, sessions, applianceName })
  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok" }
  })
  const look = healthOf(
    parts.checks,
    (check, err) => parts.log.warn({ check, err }, "not ready"),
    parts.notes,
    () => [...(readOnly === null ? [] : [readOnly]), ...(parts.warnings?.() ?? [])],
  )
  router.get("/readyz", async (ctx) => {
    const excluded = oneOfParameter(ctx, "exclude", EXCLUDABLE)
    const { unwell, checks, warnings } = await look()
    const isReady = unwell.every((name) => name === excluded)
    ctx.status = isReady ? 200 : 503
    ctx.body = {
      status: isReady ? "ready" : "not ready",
      checks,
      ...(warnings.length > 0 && { warnings }),
    }
  })

  const app = new Koa<RequestState>()
  logUnwritten(app, parts.log)
  app.use(tracking(accounts.hashHuman))
  app.use(requestId())
  const keylessBudget = new KeylessBudget(config.keylessPerMinute || Infinity)
  const hasKey = (ctx: Context) => {
    const given = bearerOf(ctx)
    if (given === null) return sessions !== undefined && sessions.whoIs(tokenOf(ctx) ?? "") !== null
    return [accounts.keys, accounts.publicKeys, oauth].some((keys) => (keys?.verify(given) ?? null) !== null)
  }
  // Before all that costs something: no log line, no trace.
  app.use(errorEnvelope(OTHER_APIS, config.publicUrl))
  app.use(keyless(keylessBudget, (request) => parts.connections.callerOf(request), hasKey))
  app.use(tracedRequests())
  if (parts.questions) app.use(parts.questions.middleware)
  app.use(requestLog(parts.log, { queries: config.logQueries }))
  app.use(degradation())
  app.use(errorEnvelope(OTHER_APIS, config.publicUrl))
  const notNoted = (err: unknown, action: string) =>
    parts.log.error({ err, action }, "a change is not in the audit log: {action}")
  app.use(auditing({ ...accounts, onProblem: notNoted }))
  app.use(slowGuesses())
  // What proxies say is checked by the first of these.
  app.proxy = true
  const stored = () =>
    new Map([
      ...accounts.stored(),
      ...(parts.research ? [["research", parts.research.tasks.storedBytes] as const] : []),
      ...(parts.firecrawl ? [["crawl-jobs", parts.firecrawl.store.storedBytes] as const] : []),
    ])
  const uncounted = () => accounts.billing.waiting
  const { connections } = parts
  const bounds = () =>
    boundsOf({
      connections,
      gates,
      memory,
      disk: parts.room?.use ?? null,
      keyless: keylessBudget,
      uncounted: { used: uncounted(), limit: accounts.billing.mostWaiting },
      research: waitingResearch(parts.research),
      kept: { used: accounts.kept.largest(), limit: accounts.kept.most },
      stored: stored(),
    })
  const around = service({
    ...parts,
    sales: parts.sales ?? (() => null),
    peers: () => federation?.counts() ?? [],
    disk: { freeBytes: () => parts.room?.freeBytes ?? null, uncounted },
    load: { connections, gates, stored, bounds },
    keys: accounts.keys,
    endpoints: [
      ...Object.keys(endpoints),
      ...ACCOUNT_PATHS,
      ...PAGE_PATHS,
      SUGGEST_PATH,
      ...(parts.watches ? [WATCH_PATH] : []),
      ...(sessions ? [SESSION_PATH] : []),
    ],
    otherApis: ["v1", "v2", "searxng", "openwebui"],
    tools: [...(readOnly === null ? Object.keys(endpoints) : ["search", "research"]), "pages"],
    notice: readOnly,
    server: () => httpServer(app),
    checkName,
  })
  for (const one of around) app.use(one)
  if (oauth !== undefined) app.use(oauth.endpoints)
  app.use(
    publicDoor({
      publicKeys: accounts.publicKeys,
      handbookKey: parts.handbookKey ?? (() => null),
      rates: accounts.publicRates,
      rateLimits: config.publicRateLimits,
      publicUrl: config.publicUrl,
    }),
  )
  if (sessions) app.use(presented({ ...browsers, sessions, checkName }))
  if (facesDir !== undefined) {
    const onProblem = (err: unknown) => parts.log.error({ err }, "the pages for people are not built")
    const isOpen = () => openKeyOf(accounts.keys, config.openKey) !== null
    if (config.openKey !== "" && !isOpen()) parts.log.warn(NOT_OPEN)
    const open = () => openBuilt(facesDir)
    app.use(faces({ open, onProblem, publicUrl: config.publicUrl, isOpen }))
  }
  app.use(
    handbook({
      docsDir: parts.docsDir,
      ...(config.publicUrl !== "" && { publicUrl: config.publicUrl }),
      notice: readOnly,
      searchKey: () => (facesDir !== undefined && parts.handbookKey?.(HANDBOOK_KEY) ? HANDBOOK_KEY : null),
      appended: { "api-reference": () => reference(config.publicUrl) },
    }),
  )
  if (parts.admin)
    app.use(lazyAdmin(parts.admin, accounts.keys, { bodyLimit: config.bodyLimit, apiSettings }, readOnly))
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}

const waitingResearch = (parts: AppParts["research"]) =>
  parts === undefined
    ? null
    : { used: parts.tasks.waiting().all, limit: parts.queue.all, refused: parts.queue.refused }

const NOT_OPEN =
  "FOSSICK_OPEN_KEY is no valid key of the role search: nobody searches in a browser without signing in"

/** Also takes what the calls go by that MCP makes inside for a program that was let in. */
const withInside = (keys: Accounts["keys"], oauth: OAuth): Accounts["keys"] => ({
  ...keys,
  verify: (presented) => keys.verify(presented) ?? oauth.verifyInside(presented),
})
