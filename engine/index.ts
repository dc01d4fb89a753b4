// The exports that most callers need; other files are imported by their paths.
export type { Embedder } from "./embedder.ts"
export type {
  Engine,
  EngineStats,
  EngineSupports,
  FacetCounts,
  FacetField,
  FacetQuery,
  FoldedPage,
  Hit,
  HitParts,
  HitPassage,
  LanguageNotice,
  PageCoverage,
  PageFilter,
  PagePreference,
  PagesOfReaders,
  PageWithVectors,
  Query,
  SearchDepth,
  SearchResult,
  Suggestion,
  SuggestionFilter,
  SuggestionQuery,
} from "./engine.ts"
export { FACET_FIELDS } from "./engine.ts"
export type { AppliedRule, BoostRule, BoostWhere, PinRule, Rule, SynonymRule } from "./search/rules/rule.ts"
export { EngineError, type EngineErrorCode } from "./errors.ts"
export {
  type Page,
  type PageAnchor,
  type PageImage,
  type PageTopic,
  sourcesOf,
  withSources,
} from "./index/page/page.ts"
export type { PageType } from "./index/page/page-type.ts"
export { MAX_PASSAGE_CHARS, type Passage } from "./index/page/passage.ts"
export { pageId, routeOf, toPageUrl, type PageUrl } from "./index/page/page-url.ts"
export { openEngine, type OpenEngineOptions } from "./open-engine.ts"
