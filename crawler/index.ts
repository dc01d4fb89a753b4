// The exports that most callers of the crawler need; other files are imported by their paths.
export { crawlerSettings, type CrawlerConfig } from "./settings.ts"
export type { Extracted, Link } from "./page/extract/extracted.ts"
export { Jobs } from "./jobs/jobs.ts"
export type { Job, JobState } from "./job.ts"
export type { CrawlOutcome, FailureReason, SkipReason } from "./outcome.ts"
export { createReader } from "./fetch/visit/reader.ts"
export type {
  Reader,
  Reading,
  ReadOptions,
  ReadResult,
  SitemapOptions,
  WalkedPage,
  WalkFrontier,
  WalkOptions,
} from "./reading.ts"
export type { Scope } from "./source.ts"
export { withoutSecrets } from "./sources/shown-source.ts"
export { SourceError, type SourceProblem } from "./sources/written/source-problem.ts"
export {
  type ListedSource,
  type SourceEntry,
  SourceOfFileError,
  type SourceOrigin,
} from "./sources/source-table.ts"
export { Sources } from "./sources/sources.ts"
export { defineSource, type Source, type SourceSpec } from "./source.ts"
export { migrate, openStateStore, type StateStore, transaction } from "#base/store/state-store.ts"
export { PatternError } from "./crawl/scope/patterns.ts"
export { walkSite } from "./crawl/walk/walk.ts"
