import { once } from "node:events"
import { flushCompileCache } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

import type { Logger } from "pino"

import { crawlerSettings, userAgentHeader, readOnlyNotice } from "#crawler/settings.ts"
import { ImageStore } from "#crawler/images/image-store.ts"
import { OtherForms } from "#crawler/duplicates/other-forms.ts"
import { LostPages } from "#crawler/frontier/lost-pages.ts"
import { sourceResults } from "#crawler/alerts/source-results.ts"
import { BackupTable } from "#crawler/backup/scheduled/backup-table.ts"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { handbookApart } from "#crawler/handbook-apart.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { findableNames, sourceNames } from "#crawler/sources/source-names.ts"
import { commandActor } from "#base/audit/command-actor.ts"
import { keyChange } from "#base/audit/field-changes.ts"
import { isBusy } from "#base/store/busy.ts"
import { keepAlive } from "#base/store/processes/keep-alive.ts"
import { openStateOnceThere } from "#base/store/postgres/outage.ts"
import { OtherStateError } from "#base/store/state-generation.ts"
import { isOnServer, openStateStore } from "#base/store/state-store.ts"
import { EngineError } from "#engine"
import { indexCacheMb } from "#engine/index-cache.ts"
import { engineSettings } from "#engine/settings.ts"
import { ModelOutage } from "#engine/model-servers/availability.ts"
import { openSearchEngine } from "#engine/open-engine.ts"
import { DiskRoom, unwritableMessage } from "#base/disk-space.ts"
import { keepOutbound } from "#base/outbound/outbound.ts"
import { startTracing } from "#base/traces/tracing.ts"
import { strangeState, STRANGE_STATE_ADVICE } from "#base/store/state-identity.ts"
import { trustAuthorities } from "#base/process/authorities.ts"
import { openLog } from "#base/log/log.ts"
import { steadyNow } from "#base/steady-time.ts"
import { checkSettings, environment, readSettings, SettingsError } from "#base/settings.ts"
import { clockInDoubt, DOUBT_ADVICE, TimeGuard } from "#base/store/clock/trusted-time.ts"

import { type Accounts, openAccounts } from "./accounts/accounts.ts"
import { UNLIMITED } from "./accounts/keys/key-scope.ts"
import { reachOf } from "./accounts/reach/reach.ts"
import { sourceSites } from "./accounts/reach/source-sites.ts"
import { History } from "./history/history.ts"
import { keepHistory } from "./history/keep-history.ts"
import { QuestionMeter } from "./history/question-meter.ts"
import { tidyHourly } from "./accounts/tidying.ts"
import { openAdmin } from "./admin/open-admin.ts"
import { indexCheck, lostInWords, refusingIfLost } from "./health/index-health.ts"
import { createApp } from "./app.ts"
import { openAnswerReranker } from "./answers/statement-reranker.ts"
import { ChatModelError } from "./chat-models/chat-model.ts"
import { type ChatServer, openChatModel } from "./chat-models/chat-server.ts"
import { tryModel } from "./chat-models/try-model.ts"
import { apiSettings, checkTogether } from "./settings.ts"
import { crawlHandbook } from "./crawl-handbook.ts"
import { httpServer } from "./server/http-server.ts"
import { listenersOf, ListenError, listenProblem, requireFreePorts } from "./server/ports.ts"
import { openConnections } from "./load/connections.ts"
import { openGates } from "./load/gates.ts"
import { mostOfIndexMb } from "./load/memory/memory-limits.ts"
import { IdleCollection } from "./load/memory/idle-collection.ts"
import { openMemory } from "./load/memory/memory.ts"
import { closeServer, stopSignal } from "./server/shutdown.ts"
import { reachableHost } from "./server/reachable-host.ts"
import { tellSupervisor } from "./supervisor/messages.ts"
import { openMissKnowledge } from "./misses/miss-knowledge.ts"
import { openPageKnowledge } from "./pages/page-knowledge.ts"
import { openFirecrawlJobs } from "./firecrawl/open-firecrawl.ts"
import { ApplianceName } from "./faces/appliance-name.ts"
import { ClientDocuments } from "./oauth/client-documents.ts"
import { checkState } from "./upkeep/state-check.ts"
import { oauthProblem, openOAuth } from "./oauth/oauth-endpoints.ts"
import { openWatches } from "./watches/open-watches.ts"
import { Federation } from "./federation/federation.ts"
import { readPeers } from "./federation/peers-file.ts"
import { openResearch } from "./research/open-research.ts"
import { lazyReader, lazyRereader } from "./core/read/lazy-reader.ts"
import { freshParts } from "./core/ask/ask.ts"
import { handbookKey } from "./public-keys/handbook-key.ts"
import { openSessions } from "./sessions/sessions.ts"
import { QueryLog } from "./queries/query-log.ts"
import { ruledEngine } from "./rules/ruled-engine.ts"
import { RuleStore } from "./rules/rule-store.ts"
import { sellingOf, x402Settings } from "./x402/settings.ts"
import { salesLine, unknownForSale } from "./x402/for-sale.ts"
import type { PaidListener } from "./x402/open-listener.ts"

// The process that answers. It opens the index for reading only; the crawler process is the one that writes.

/** A search needs one short text embedded; threads for pages belong to the crawler. */
const QUERY_THREADS = 1
const WARM_UP = "ready?"
/**
 * When the compiled code is written, so that the next start is quick after a crash, too: by itself only a process that ends as asked writes it.
 * That takes half a second, once for each version: not before the first start is over.
 */
const COMPILED_MS = 15_000
const DOCS_DIR = join(import.meta.dirname, "../docs")
const FACES_DIR = join(import.meta.dirname, "../faces")

async function serve(): Promise<void> {
  const stopped = stopSignal()
  const env = environment()
  trustAuthorities(env)
  checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], env)
  const config = readSettings(apiSettings, env)
  checkTogether(config)
  const selling = sellingOf(readSettings(x402Settings, env), config.port)
  const engineConfig = readSettings(engineSettings, env)
  const crawlerConfig = readSettings(crawlerSettings, env)
  const log = openLog("api", env)
  const readOnly = readOnlyNotice(crawlerConfig.readOnly)
  if (readOnly !== null) log.warn(readOnly)
  await requireFreePorts(listenersOf(config, selling.on && readOnly === null ? selling.config : null))

  await using opened = new AsyncDisposableStack()
  opened.use(await startTracing("fossick-api", crawlerConfig))
  const db = await openStateOnceThere(engineConfig.dataDir, stopped, (why) => log.error(why))
  if (db === null) return
  opened.defer(() => db.close())
  // Of its own: this one waits for no lock, so that no call waits for another process.
  const accountsDb = openStateStore(engineConfig.dataDir)
  opened.defer(() => accountsDb.close())
  opened.use(keepOutbound(db))
  const own = opened.use(
    keepAlive(db, "api", (err) => log.warn({ err }, "no sign of life could be given to other processes")),
  )
  const accounts = opened.use(
    openAccounts(
      accountsDb,
      config,
      (err) => log.warn({ err }, "old calls were not deleted"),
      (calls, areLost) => {
        const { dataDir } = engineConfig
        if (calls === 0) log.info("the disk takes writes again: all calls are counted")
        else if (areLost)
          log.error(
            { calls },
            "calls stay uncounted: the process ends, and nothing can be written to the disk",
          )
        else log.error({ calls }, `${unwritableMessage(dataDir)} Calls are answered and counted later.`)
      },
    ),
  )
  const { keys } = accounts
  const jobs = new Jobs(db)
  const stateProblem = () => {
    const problem = strangeState(engineConfig.dataDir, db)
    return problem && `${problem} ${STRANGE_STATE_ADVICE}`
  }
  const lostState = stateProblem()
  if (lostState !== null) log.error(lostState)
  const clockProblem = () => {
    const problem = clockInDoubt(db)
    return problem && `${problem} ${DOUBT_ADVICE}`
  }
  const backups = new BackupTable(db)
  const room = new DiskRoom(engineConfig.dataDir, engineConfig.minFreeMb, { warn: engineConfig.warnFreeMb })
  const lost = new LostPages(db)
  log.info({ engine: engineConfig.engine }, "opening the index ({engine})")
  const following = opened.use(
    await openSearchEngine(
      {
        ...engineConfig,
        embedThreads: QUERY_THREADS,
        indexCacheMb: indexCacheMb(engineConfig.indexCacheMb, mostOfIndexMb(config)),
      },
      { loadsModel: true, onProblem: (error) => log.warn({ err: error }, "the engine will try again") },
    ),
  )
  const rules = new RuleStore(db)
  const engine = ruledEngine(
    handbookApart(
      refusingIfLost(following, () => lost.expected()),
      db,
      crawlerConfig,
    ),
    rules,
  )
  // A drill asks nobody else.
  const peers = crawlerConfig.readOnly === "drill" ? [] : readPeers(config.peersFile, env)
  const federation =
    peers.length === 0
      ? null
      : opened.use(
          new Federation(peers, {
            mostHops: config.peerHops,
            rules: () => rules.list(),
            proxy: crawlerConfig,
            userAgent: userAgentHeader(crawlerConfig),
            env,
            log,
          }),
        )
  const reader = opened.use(lazyReader(crawlerConfig))
  const rereader = opened.use(
    lazyRereader({
      db,
      jobs,
      config: crawlerConfig,
      onProblem: (source, err) => log.warn({ source, err }, "pages of {source} could not be read again"),
    }),
  )
  const chatModel = opened.use(
    openChatModel(crawlerConfig.readOnly === "drill" ? { ...config, llmUrl: "" } : config),
  )

  const reranking = opened.use(await openAnswerReranker(config, log))
  const { reranker: statementReranker } = reranking
  const images = new ImageStore(db, engineConfig.dataDir)
  const { embedder } = following
  const gates = openGates(config)
  // One account for both listeners: they share the descriptors and the memory of this process.
  const connections = openConnections(config)
  const memory = opened.use(openMemory(config, connections))
  opened.use(new IdleCollection())
  const research = openResearch(accountsDb, config, {
    accounts,
    embedder,
    chatModel,
    pages: memory.research,
    room,
    process: own.id,
    log,
  })
  opened.use(research.researchers)
  const pages = openPageKnowledge(db, jobs)
  const firecrawl = opened.use(
    openFirecrawlJobs(accountsDb, config, {
      accounts,
      knowledge: pages,
      chatModel,
      sending: crawlerConfig,
      userAgent: userAgentHeader(crawlerConfig),
      room,
      process: own,
      log,
    }),
  )
  let paid: PaidListener | undefined
  const watches = opened.use(openWatches({ db, engine, keys, config, crawlerConfig, log }))
  const documents = opened.use(
    new ClientDocuments({ proxy: crawlerConfig, userAgent: userAgentHeader(crawlerConfig) }),
  )
  const noOAuth = oauthProblem(config.publicUrl)
  if (noOAuth !== null && config.publicUrl !== "")
    log.info({ reason: noOAuth }, "no OAuth is served for MCP: {reason}")
  const queries = new QueryLog(accountsDb, config.queryLogDays)
  opened.use(
    tidyHourly([queries], {
      writes: accounts.writes,
      guard: new TimeGuard(accountsDb),
      onProblem: (err) => log.warn({ err }, "old questions were not deleted"),
    }),
  )
  const stateCheck = isOnServer(db)
    ? null
    : opened.use(checkState(engineConfig.dataDir, (problem) => log.error(problem)))
  const applianceName = new ApplianceName(accountsDb)
  const questions = new QuestionMeter()
  const history = new History({ db: accountsDb, engine, dataDir: engineConfig.dataDir, questions })
  opened.use(
    keepHistory(history, {
      writes: accounts.writes,
      onProblem: (err) => log.warn({ err }, "a sample of the history was lost"),
    }),
  )
  const app = await createApp({
    questions,
    queries,
    ...(noOAuth === null && {
      oauth: openOAuth({
        db,
        keys,
        collections: accounts.collections,
        documents,
        publicUrl: config.publicUrl,
      }),
    }),
    watches,
    engine,
    images,
    thumbnails: images,
    forms: new OtherForms(db),
    pages,
    misses: openMissKnowledge(db, jobs, engine, () =>
      sourceNames(db).filter((name) => name !== HANDBOOK_SOURCE),
    ),
    embedder,
    statementReranker,
    chatModel,
    reader,
    ...(readOnly === null && { rereader }),
    accounts,
    ...(federation !== null && { federation }),
    sites: sourceSites(db, jobs),
    sourceNames: () => findableNames(db),
    research,
    firecrawl,
    handbookKey: handbookKey(db),
    applianceName: () => applianceName.get(),
    sessions: openSessions(accountsDb, accounts, config),
    connections,
    gates,
    memory,
    sales: () => paid?.outcomes ?? null,
    admin: () =>
      openAdmin({
        db,
        engine,
        jobs,
        crawlerConfig,
        engineConfig,
        queries,
        history,
        audit: accounts.audit,
        eventStreams: gates.eventStreams,
      }),
    jobs,
    backups,
    sourceResults: (limit) => sourceResults(db, jobs, limit),
    log,
    config,
    docsDir: DOCS_DIR,
    facesDir: FACES_DIR,
    readOnly,
    checks: {
      // A file is there as long as this process is.
      ...(isOnServer(db) && {
        state: async () => {
          // Both connections: calls wait for the second.
          for (const one of [db, accountsDb]) one.prepare("select 1").get()
          return null
        },
      }),
      index: indexCheck({ engine: following, lostPages: () => lost.expected() }),
      model: async () => {
        try {
          await embedder.embed([WARM_UP], { priority: "query" })
        } catch (error) {
          // Questions are answered by words meanwhile, and the warnings say why.
          if (!(error instanceof ModelOutage)) throw error
        }
        return null
      },
      // On a disk that takes nothing it cannot give a sign of life.
      crawler: async () =>
        readOnly !== null || jobs.hasCrawler() || room.takesNothing
          ? null
          : "no crawler process is running on this data folder",
    },
    notes: { disk: async () => room.problem() },
    room,
    // A read-only folder is replaced by a copy that is thrown away at the end.
    keepsNothing: () => crawlerConfig.readOnly === "folder" || room.readOnly !== null,
    warnings: () => [
      ...[stateProblem() ?? []].flat(),
      ...[stateCheck?.problem() ?? []].flat(),
      ...[clockProblem() ?? []].flat(),
      ...following.warnings,
      ...reranking.warnings(),
      ...[chatModel?.outage ?? []].flat(),
      ...(federation?.warnings() ?? []),
      ...[lostInWords(lost.count()) ?? []].flat(),
    ],
    indexState: {
      wordsAlone: () => following.wordsAlone,
      notReranked: () => following.notReranked !== null,
      lostPages: () => lost.count(),
    },
  })
  const server = httpServer(app, connections)
  // Side by side: both may have requests to finish, and the time for that is limited.
  opened.defer(async () => {
    await Promise.all([closeServer(server, config.shutdownSeconds * 1000), paid?.[Symbol.asyncDispose]()])
  })
  server.listen(config.port, config.host)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const localUrl = `http://${reachableHost(config.host)}:${port}`
  const url = config.publicUrl || localUrl

  const unsold =
    selling.on && readOnly === null ? unknownForSale(selling.config, db, accounts.collections) : null
  if (unsold !== null) log.error({ reason: unsold }, "no searches are sold until this is mended")
  else if (selling.on && readOnly === null) {
    // What payments need is loaded only where searches are sold.
    const { openPaidListener } = await import("./x402/open-listener.ts")
    paid = await openPaidListener({
      config: selling.config,
      host: config.host,
      dataDir: engineConfig.dataDir,
      search: {
        engine,
        images,
        embedder,
        statementReranker,
        chatModel,
        fresh: freshParts(
          // All payers together take the turns of one key.
          reachOf(
            { id: "sales", scope: { ...UNLIMITED, ...selling.config.forSale } },
            {
              engine,
              reader,
              rereader,
              gates,
              collections: accounts.collections,
              sourceNames: () => sourceNames(db),
              sites: sourceSites(db, jobs),
            },
          ),
          pages,
        ),
      },
      collections: accounts.collections,
      connections,
      memory,
      searches: gates.searches,
      limits: config,
      process: own.id,
      log,
    })
  } else if (!selling.on && selling.missing.length > 0) {
    log.warn({ missing: selling.missing }, "no searches are sold until these are set too")
  }

  // Who shows it once, and keeps it out of what is kept, is the supervisor; without one it would stand in a log.
  const apiKey = keys.any() || process.send === undefined ? null : await firstKey(accounts)
  const handbook =
    crawlerConfig.handbook !== "off" &&
    readOnly === null &&
    (await crawlHandbook(jobs, engine, url, { signal: stopped, onDone: tellHandbookDone }))
  tellSupervisor({
    kind: "ready",
    url,
    localUrl,
    apiKey,
    operatorKey: config.apiKey !== "",
    handbook,
    sales: salesLine(selling, unsold, paid?.port),
    lostState,
    lowDisk: room.warning(),
    readOnly,
  })
  if (!keys.any()) log.warn("there is no API key yet: the command `keys create --role admin` makes one")
  log.info({ url, host: config.host, port }, "listening on {url}")
  if (chatModel) void tellModel(chatModel, config.llmModel, log, stopped)
  // The model loads with the first text: better now than with somebody's first question.
  log.info("loading the embedding model")
  const since = steadyNow()
  embedder
    .embed([WARM_UP], { priority: "query" })
    .then(() => {
      log.info({ ms: Math.round(steadyNow() - since) }, "the embedding model is loaded: {ms} ms")
      return engine.search({ text: WARM_UP, limit: 1 })
    })
    .catch((error: unknown) => {
      if (stopped.aborted) return
      if (error instanceof ModelOutage) log.warn(error.message)
      else log.warn({ err: error }, "the first search failed")
    })
  setTimeout(flushCompileCache, COMPILED_MS).unref()
  if (!stopped.aborted) await once(stopped, "abort")
  log.info("stopping: running requests may finish")
}

/** Tries the language model, so that an operator learns of what is wrong before somebody asks; this loads it, too. */
async function tellModel(model: ChatServer, name: string, log: Logger, stopped: AbortSignal): Promise<void> {
  try {
    log.info(await tryModel(model, name, stopped))
  } catch (error) {
    if (stopped.aborted) return
    if (!(error instanceof ChatModelError)) log.error({ err: error }, "the language model could not be tried")
    else
      log.warn(
        { reason: error.message },
        "the language model gives no answers: they are made of the pages' own sentences until it does",
      )
  }
}

const firstKey = ({ keys, writes, audit }: Accounts): Promise<string> =>
  writes.run(() => {
    const text = keys.create({ role: "admin" })
    const change = keyChange(keys.lookUp(text)!, "made")
    audit.note({
      who: commandActor(),
      action: "fossick start",
      object: change.field,
      status: null,
      changes: [change],
      address: "",
    })
    return text
  })

const tellHandbookDone = (found: boolean): void => void tellSupervisor({ kind: "handbook-crawled", found })

/** What the operator can do about a failed start, or null when the failure is a bug or may pass. */
function advice(error: unknown): string | null {
  if (error instanceof SettingsError) return error.message
  if (error instanceof EngineError && error.code !== "ENGINE_UNAVAILABLE") return error.message
  if (error instanceof ListenError || error instanceof OtherStateError) return error.message
  // That passes: the supervisor tries again.
  if (isBusy(error)) return null
  if ((error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR") {
    return `state.db in FOSSICK_DATA_DIR cannot be used (${(error as Error).message}). If it is damaged, try fossick doctor --repair, or restore a backup (fossick restore), or move it and state.id away: then keys, sources and usage start over, and the index stays.`
  }
  return listenProblem(error)
}

try {
  await serve()
  process.exit(0)
} catch (error) {
  const message = advice(error)
  if (message === null) {
    // No more of it than its text: what else an error carries may hold a login.
    const { stack, message: text } = error as Error
    const told = error instanceof EngineError ? text : (stack ?? text)
    process.stderr.write(`${told}\n`, () => process.exit(1))
  } else if (!tellSupervisor({ kind: "fatal", message })) process.stderr.write(`${message}\n`)
  process.exitCode = error instanceof SettingsError ? 2 : 1
  process.disconnect?.()
}
