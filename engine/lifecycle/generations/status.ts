import type { Embedder } from "../../embedder.ts"
import { EngineError } from "../../errors.ts"
import { secondsLeft } from "../filling/filling-rate.ts"
import { ModelOutage } from "../../models/servers/availability.ts"
import { keptUntil, targetDue } from "./building/build.ts"
import type { GenerationContext } from "./generation-context.ts"
import { nameOf, type ShippedModel, shippedModelOf } from "../../shipped-models.ts"
import type { Generations, Target } from "./generation-file.ts"
import { shareOfOthers, suitedModel } from "./model-choice.ts"
import { missingModel } from "./models.ts"

/** A generation as shown to the operator. */
export interface GenerationStatus {
  readonly name: string
  /** `null` if there is no index with this generation's name. */
  readonly format: number | null
  readonly embedder: string | null
  /** `null` if this version can't read the generation. */
  readonly pages: number | null
  readonly pagesWithoutVectors: number | null
  readonly passagesWithoutVectors: number | null
  /** Number of passages per second that get their vectors; `null` while none are being created, or if the rate is unknown. */
  readonly vectorsPerSecond: number | null
  /** Seconds until all passages have their vectors; `null` if unknown. */
  readonly secondsLeft: number | null
}

/** Fields that are unknown for a generation that cannot be opened. */
const UNCOUNTED = {
  pages: null,
  pagesWithoutVectors: null,
  passagesWithoutVectors: null,
  vectorsPerSecond: null,
  secondsLeft: null,
}

export interface IndexStatus {
  readonly current: GenerationStatus
  readonly previous: (GenerationStatus & { readonly keptUntil: string; readonly isDamaged: boolean }) | null
  readonly building: GenerationStatus | null
  /** The target of the next build, or `null`. */
  readonly due: Target | null
  /** The target that was abandoned by a rollback, and that the settings still ask for. */
  readonly declined: Target | null
  readonly model: ModelStatus
  /** The reason why a model on a server provides no vectors at present; `null` if it does. Omitted for models in this process. */
  readonly modelServer?: { readonly problem: string | null }
}

/** Which model creates the vectors, and what determines it. */
export interface ModelStatus {
  /** FOSSICK_MODEL, which takes precedence; `null` if it is empty. */
  readonly setting: string | null
  /** The argument of `fossick index model`: `auto`, `english`, `multilingual` or a folder. */
  readonly wanted: string
  /** The model that `auto` chose; `null` if `auto` isn't in use or hasn't chosen yet. */
  readonly chosen: ShippedModel | null
  /** Number of pages per language (ISO 639-1), "" for an unknown language; `null` if the index can't be read. */
  readonly languages: Readonly<Record<string, number>> | null
  /** The model that suits those languages, when `auto` chose another one. */
  readonly suited: ShippedModel | null
}

/** Describes for people which setting or choice determines the model. */
export function whyThisModel({ setting, wanted, languages }: ModelStatus): string {
  if (setting !== null) return "as set in the settings"
  if (wanted !== "auto") return "as requested"
  const others = Math.round(shareOfOthers(new Map(Object.entries(languages ?? {}))) * 100)
  const share = languages ? ` (${others} % of the pages in languages other than English)` : ""
  return `chosen for the pages in the index${share}`
}

/** All generations, read while another process might be writing to them. @throws EngineError */
export async function indexStatus(
  context: GenerationContext,
  keepDays: number,
  modelSetting = "",
): Promise<IndexStatus> {
  const generations = await context.file.read()
  const { current, previous, building, declined } = generations
  return {
    current: await statusOf(context, current),
    previous: previous && {
      ...(previous.isDamaged ? unknown(previous.name) : await statusOf(context, previous.name)),
      isDamaged: previous.isDamaged ?? false,
      keptUntil: keptUntil(previous, keepDays).toISOString(),
    },
    building: building && (await statusOf(context, building.name)),
    due: await targetDue(context).catch((error: unknown) => {
      if (error instanceof EngineError && error.code.startsWith("INDEX_FORMAT")) return null
      throw error
    }),
    declined,
    model: await modelStatus(context, generations, modelSetting),
    ...(context.models.configured.outage !== undefined && {
      modelServer: { problem: await problemOf(context.models.configured) },
    }),
  }
}

/** The reason why an embeddings server provides no vectors, checked just now; `null` if it does. */
async function problemOf(embedder: Embedder): Promise<string | null> {
  try {
    await embedder.embed(["ready?"], { priority: "query" })
    return null
  } catch (error) {
    if (error instanceof ModelOutage) return error.because
    throw error
  }
}

async function modelStatus(
  { adapter }: GenerationContext,
  { current, choice: { wanted, chosen } }: Generations,
  modelSetting: string,
): Promise<ModelStatus> {
  const said = { setting: nameOf(modelSetting) || null, wanted, chosen: wanted === "auto" ? chosen : null }
  const info = await adapter.info(current)
  if (!info || adapter.useOf(info.format) !== "written") return { ...said, languages: null, suited: null }
  await using engine = await adapter.open(current, { mode: "read", embedder: missingModel(info) })
  const languages = await engine.languages()
  const now = chosen ?? shippedModelOf(info.embedder)
  const suited = suitedModel(languages, now)
  const isOpen = modelSetting === "" && wanted === "auto" && suited !== now
  return {
    ...said,
    chosen: wanted === "auto" ? now : null,
    languages: Object.fromEntries(languages),
    suited: isOpen ? suited : null,
  }
}

const unknown = (name: string): GenerationStatus => ({
  name,
  format: null,
  embedder: null,
  ...UNCOUNTED,
})

async function statusOf({ adapter }: GenerationContext, name: string): Promise<GenerationStatus> {
  const info = await adapter.info(name)
  const said = { name, format: info?.format ?? null, embedder: info?.embedder ?? null }
  if (!info || adapter.useOf(info.format) !== "written") {
    return { ...said, ...UNCOUNTED }
  }
  await using engine = await adapter.open(name, { mode: "read", embedder: missingModel(info) })
  const stats = await engine.stats()
  const { pages, pagesWithoutVectors, passagesWithoutVectors, vectorsPerSecond } = stats
  const left = secondsLeft(stats)
  return { ...said, pages, pagesWithoutVectors, passagesWithoutVectors, vectorsPerSecond, secondsLeft: left }
}
