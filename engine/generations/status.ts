import { EngineError } from "../errors.ts"
import { keptUntil, targetDue } from "./building/build.ts"
import type { GenerationContext } from "./generation-context.ts"
import type { Target } from "./generation-file.ts"
import { missingModel } from "./models.ts"

/** A generation as the operator sees it. */
export interface GenerationStatus {
  readonly name: string
  /** Null when there is no index of this name. */
  readonly format: number | null
  readonly embedder: string | null
  /** Null when this version cannot look into it. */
  readonly pages: number | null
  readonly pagesWithoutVectors: number | null
}

export interface IndexStatus {
  readonly current: GenerationStatus
  readonly previous: (GenerationStatus & { readonly keptUntil: string; readonly isDamaged: boolean }) | null
  readonly building: GenerationStatus | null
  /** What is to be built; null when nothing is. */
  readonly due: Target | null
  /** What a rollback went back from, and the settings still ask for. */
  readonly declined: Target | null
}

/** What generations there are, read beside whoever writes to them. @throws EngineError */
export async function indexStatus(context: GenerationContext, keepDays: number): Promise<IndexStatus> {
  const { current, previous, building, declined } = await context.file.read()
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
  }
}

const unknown = (name: string): GenerationStatus => ({
  name,
  format: null,
  embedder: null,
  pages: null,
  pagesWithoutVectors: null,
})

async function statusOf({ adapter }: GenerationContext, name: string): Promise<GenerationStatus> {
  const info = await adapter.info(name)
  const said = { name, format: info?.format ?? null, embedder: info?.embedder ?? null }
  if (!info || adapter.useOf(info.format) !== "written") {
    return { ...said, pages: null, pagesWithoutVectors: null }
  }
  await using engine = await adapter.open(name, { mode: "read", embedder: missingModel(info) })
  const { pages, pagesWithoutVectors } = await engine.stats()
  return { ...said, pages, pagesWithoutVectors }
}
