import { readdir } from "node:fs/promises"
import path from "node:path"
import { readModelFolder } from "../../models/embedders/model-folder.ts"
import { SHIPPED_MODELS, type ShippedModel } from "../../shipped-models.ts"
import { EngineError } from "../../errors.ts"
import type { GenerationFile } from "./generation-file.ts"
import { isShipped } from "../../shipped-models.ts"

/** An available model that can be chosen. */
export interface AvailableModel {
  /** `null` for a model that doesn't ship with Fossick: it is selected by its folder. */
  readonly name: ShippedModel | null
  readonly folder: string
  /** Id of the embedder for this model. */
  readonly embedder: string
  readonly dimensions: number
  /** Unicode names of the scripts that the model supports; `null` if unknown. */
  readonly scripts: readonly string[] | null
}

/**
 * Selects a model. If the index was made with another one, the next writer rebuilds it with the selected model, beside
 * the one in use, even if a rollback abandoned that very model.
 *
 * @param wanted `auto`, the name of a model that ships with Fossick, or the absolute path of a folder
 * @throws EngineError `MODEL_UNAVAILABLE` when there is no model in the folder
 */
export async function askForModel(file: GenerationFile, wanted: string): Promise<void> {
  // Without this check, opening the index with this model would fail.
  if (wanted !== "auto" && !isShipped(wanted)) await readModelFolder(wanted)
  await file.change(({ choice }) => ({
    choice: { wanted, chosen: wanted === "auto" ? choice.chosen : null },
    declined: null,
  }))
}

/** The models that ship with Fossick, and those in the data folder, which are stored as on the Hugging Face hub: `models/<owner>/<name>`. */
export async function availableModels(dataDir: string): Promise<AvailableModel[]> {
  const shipped = Object.entries(SHIPPED_MODELS).map(([name, folder]) =>
    describe(name as ShippedModel, folder),
  )
  const kept = path.resolve(dataDir, "models")
  const folders: string[] = []
  for (const owner of await foldersIn(kept)) folders.push(...(await foldersIn(owner)))
  const found = await Promise.all([...shipped, ...folders.map((folder) => describe(null, folder))])
  return found.filter((one) => one !== null)
}

/** `null` if the folder contains no model. */
async function describe(name: ShippedModel | null, folder: string): Promise<AvailableModel | null> {
  try {
    const { id: embedder, dimensions, traits } = await readModelFolder(folder)
    return { name, folder, embedder, dimensions, scripts: traits.scripts }
  } catch (error) {
    if (error instanceof EngineError) return null
    throw error
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return []
    throw error
  })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name))
    .toSorted()
}
