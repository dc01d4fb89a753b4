import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Proof } from "./proof.ts"

const HERE = import.meta.dirname
const fileOf = (name: string): string => join(HERE, name, `${name}.ts`)

/** The names of all proofs: each has a folder here, with a file of the same name that exports the proof as `proof`. */
export const proofNames = (): string[] =>
  readdirSync(HERE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(fileOf(entry.name)))
    .map((entry) => entry.name)
    .sort()

/** The proof with this name. */
export const openProof = async (name: string): Promise<Proof> =>
  ((await import(fileOf(name))) as { readonly proof: Proof }).proof
