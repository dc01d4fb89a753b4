import path from "node:path"
import multilingual from "./models/multilingual-e5-small/fossick.json" with { type: "json" }

const MODELS = path.join(import.meta.dirname, "models")

/** The folders of the models that ship with Fossick; the vectors of both have 384 dimensions. */
export const SHIPPED_MODELS = {
  english: path.join(MODELS, "all-MiniLM-L6-v2"),
  multilingual: path.join(MODELS, "multilingual-e5-small"),
} as const
export type ShippedModel = keyof typeof SHIPPED_MODELS

/** Unicode names of the scripts that the multilingual model reads. */
export const MULTILINGUAL_SCRIPTS: readonly string[] = multilingual.scripts

/** The model that a new index uses. */
export const shippedModel = SHIPPED_MODELS.english

/** The name of the shipped model, in this or another version, whose vectors an index contains; null for any other model. */
export function shippedModelOf(embedder: string): ShippedModel | null {
  const names = Object.keys(SHIPPED_MODELS) as ShippedModel[]
  return names.find((name) => embedder.startsWith(`${path.basename(SHIPPED_MODELS[name])}:`)) ?? null
}

export const isShipped = (name: string): name is ShippedModel => name in SHIPPED_MODELS

/** A model's folder for the name used in the handbook and the console; anything else already is a folder or a hub id. */
export const folderOf = (name: string): string => (isShipped(name) ? SHIPPED_MODELS[name] : name)

/** The name people use for the model in a folder. */
export const nameOf = (folder: string): string =>
  Object.entries(SHIPPED_MODELS).find(([, shipped]) => shipped === folder)?.[0] ?? folder
