import path from "node:path"
import type { IndexInfo } from "../../adapters/adapter.ts"
import { isShipped, SHIPPED_MODELS, type ShippedModel, shippedModelOf } from "../../shipped-models.ts"

/** Which model creates the vectors if FOSSICK_MODEL isn't set. */
export interface ModelChoice {
  /** `auto`, the name of a model that ships with Fossick, or a folder. */
  readonly wanted: string
  /** The model that `auto` chose based on the content of the index; `null` until it has checked. */
  readonly chosen: ShippedModel | null
}

export const NO_CHOICE: ModelChoice = { wanted: "auto", chosen: null }

/** Number of pages per language (ISO 639-1); "" for an unknown language. */
export type PagesByLanguage = ReadonlyMap<string, number>

/**
 * At or above the upper share of pages in other languages, the multilingual model is better, and below the lower share,
 * the English one is: in between, an index keeps its model, so that a few pages more or less change nothing.
 */
export const MULTILINGUAL_FROM = 0.05
const ENGLISH_BELOW = 0.02

/** The share of pages known to be in a language other than English. */
export function shareOfOthers(languages: PagesByLanguage): number {
  let [all, others] = [0, 0]
  for (const [language, pages] of languages) {
    all += pages
    if (language !== "" && language.split("-")[0] !== "en") others += pages
  }
  return all === 0 ? 0 : others / all
}

/** The model that suits the content of an index; `now` is its current model. */
export function suitedModel(languages: PagesByLanguage, now: ShippedModel | null): ShippedModel {
  const share = shareOfOthers(languages)
  return share > (now === "multilingual" ? ENGLISH_BELOW : MULTILINGUAL_FROM) ? "multilingual" : "english"
}

/** The folder of the chosen model; `info` describes the index in use. */
export function modelFolderOf(
  { wanted, chosen }: ModelChoice,
  info: Pick<IndexInfo, "embedder"> | null,
): string {
  if (isShipped(wanted)) return SHIPPED_MODELS[wanted]
  if (wanted !== "auto") return wanted
  return SHIPPED_MODELS[chosen ?? (info && shippedModelOf(info.embedder)) ?? "english"]
}

/** A command-line argument in the form in which it is stored: a folder becomes an absolute path, since other processes have other working directories. */
export const asWanted = (given: string): string =>
  given === "auto" || isShipped(given) ? given : path.resolve(given)
