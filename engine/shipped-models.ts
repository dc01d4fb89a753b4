import path from "node:path"
import multilingual from "./models/multilingual-e5-small/fossick.json" with { type: "json" }

const MODELS = path.join(import.meta.dirname, "models")

/** The folders of the models that ship with Fossick, both of 384 dimensions. */
export const SHIPPED_MODELS = {
  english: path.join(MODELS, "all-MiniLM-L6-v2"),
  multilingual: path.join(MODELS, "multilingual-e5-small"),
} as const
export type ShippedModel = keyof typeof SHIPPED_MODELS

/** Unicode names of the scripts that the multilingual model reads. */
export const MULTILINGUAL_SCRIPTS: readonly string[] = multilingual.scripts

/** The model that an index begins with. */
export const shippedModel = SHIPPED_MODELS.english

/** The name of the model that ships with Fossick and has made an index, in this version or another one; null for any other. */
export function shippedModelOf(embedder: string): ShippedModel | null {
  const names = Object.keys(SHIPPED_MODELS) as ShippedModel[]
  return names.find((name) => embedder.startsWith(`${path.basename(SHIPPED_MODELS[name])}:`)) ?? null
}

export const isShipped = (name: string): name is ShippedModel => name in SHIPPED_MODELS

/** A model's folder by the name that the handbook and the console give it; anything else is a folder or a hub's id already. */
export const folderOf = (name: string): string => (isShipped(name) ? SHIPPED_MODELS[name] : name)

/** How people call the model in a folder. */
export const nameOf = (folder: string): string =>
  Object.entries(SHIPPED_MODELS).find(([, shipped]) => shipped === folder)?.[0] ?? folder
