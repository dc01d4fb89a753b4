import type { Logger } from "pino"

import type { DiskRoom } from "#base/disk-space.ts"
import type { Values } from "#base/settings.ts"
import type { Reader } from "#crawler"
import type { Rereader } from "#crawler/upkeep/reread/rereader.ts"
import type { Embedder, Engine } from "#engine"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { ReachParts } from "../../identity/accounts/reach/reach.ts"
import type { AnswerParts } from "../../services/answers/answer.ts"
import type { ChatModel } from "../../services/chat-models/chat-model.ts"
import type { features, OpenedBy } from "../../features.ts"
import type { Federation } from "../../services/federation/federation.ts"
import type { Check } from "../health/health.ts"
import type { QuestionMeter } from "../../operator/history/question-meter.ts"
import type { Connections } from "../load/connections.ts"
import type { Gates } from "../load/gates.ts"
import type { Memory } from "../load/memory/memory.ts"
import type { StateOutage } from "../outage/state-outage.ts"
import type { LoadParts } from "../metrics/load-metrics.ts"
import type { BackupResults } from "../metrics/backup-metrics.ts"
import type { JobCounts } from "../metrics/job-metrics.ts"
import type { MetricsParts } from "../metrics/metrics-registry.ts"
import type { MissKnowledge } from "../../services/misses/miss-knowledge.ts"
import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"
import type { Thumbnails } from "../../services/pages/thumbnails.ts"
import type { PublicDoorParts } from "../../identity/public-keys/door.ts"
import type { apiSettings } from "../../settings.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import type { FormKnowledge } from "../../core/ask/other-forms.ts"
import type { ImageKnowledge } from "../../core/ask/search-images.ts"

export type ApiConfig = Values<typeof apiSettings>

/** The parts of the app: those opened by its features, by name, and the shared ones. */
export interface AppParts
  extends
    OpenedBy<(typeof features)[number]>,
    Omit<LiveParts, "memory" | "misses" | "embedder" | "mostHops"> {
  readonly embedder: Pick<Embedder, "id" | "dimensions" | "traits" | "embed">
  readonly engine: Engine
  /** Reads live pages. */
  readonly reader: Reader
  /** Rereads pages of the index; if left out, pages are not reread. */
  readonly rereader?: Pick<Rereader, "read" | "readLive">
  readonly images: ImageKnowledge
  /** The image files, as they were when crawled; if left out, none are served. */
  readonly thumbnails?: Thumbnails
  readonly forms: FormKnowledge
  /** Information from crawls about the pages of the index. */
  readonly pages: PageKnowledge
  /** Information from crawls about missing pages; if left out, no answer says why nothing was found. */
  readonly misses?: MissKnowledge
  /** Counts questions; if left out, they are not counted. */
  readonly questions?: QuestionMeter
  /** The appliance's name on its pages; if left out, the appliance has no name. */
  readonly applianceName?: () => Promise<string | null>
  /** The public key of the handbook; if left out, there is none. */
  readonly handbookKey?: PublicDoorParts["handbookKey"]
  readonly unitReader: AnswerParts["unitReader"]
  /** Writes answers; if null, answers consist of the pages' own sentences. */
  readonly chatModel: ChatModel | null
  readonly accounts: Accounts
  /** Which addresses belong to which sources. */
  readonly sites: ReachParts["sites"]
  /** The names of all sources. */
  readonly sourceNames: ReachParts["sourceNames"]
  /** Other appliances that are asked in addition to the index; omitted if empty. */
  readonly federation?: Pick<Federation, "engine" | "holderOf" | "mostHops" | "counts" | "sourceNames">
  /** The job counts, for the metrics. */
  readonly jobs: JobCounts
  readonly backups: BackupResults
  readonly sourceResults: MetricsParts["sourceResults"]
  readonly indexState?: MetricsParts["indexState"]
  /** How requests to the paid search ended, for the metrics; null or left out if no searches are sold. */
  readonly sales?: () => ReadonlyMap<string, number> | null
  /** The connections of the process, counted in the metrics. */
  readonly connections: LoadParts["connections"] & Pick<Connections, "callerOf">
  readonly gates: Gates
  readonly memory: Memory
  /** Outages of the PostgreSQL server; without this, no call continues during one. */
  readonly outage?: StateOutage
  readonly log: Logger
  readonly config: ApiConfig
  /** Folder of the handbook's Markdown. */
  readonly docsDir: string
  /** Folder of the web pages, with the build in `dist`; if left out, no pages are served. */
  readonly facesDir?: string
  /** The checks of /readyz, by name. */
  readonly checks: Readonly<Record<string, Check>>
  /** Further checks that /readyz shows; they don't affect readiness. */
  readonly notes?: Readonly<Record<string, Check>>
  /** The disk of the data folder, for the metrics. */
  readonly room?: Pick<DiskRoom, "freeBytes" | "use" | "isLow">
  /**
   * Whether everything callers store here is lost when this process ends, because the data folder is read-only. If left
   * out, the callers' data is kept.
   */
  readonly keepsNothing?: (() => boolean) | undefined
  /** The notice of a read-only appliance, which also doesn't read pages live; null if it isn't read-only. */
  readonly readOnly?: string | null
  /** Problems to report although all parts work. */
  readonly warnings?: () => Promise<readonly string[]>
}
