import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/**
 * The npm package that contains the local chain's program for this machine, among those that `@foundry-rs/anvil`
 * depends on. Only the one for Linux on x64 is installed; the others are replaced by an empty package.
 */
export const CHAIN_PACKAGE = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`

/** The chain's program, a development-only dependency; null if it is not installed. */
export function chainProgram(): string | null {
  try {
    const anvil = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")
    const manifest = createRequire(anvil).resolve(`${CHAIN_PACKAGE}/package.json`)
    const program = join(manifest, "../bin/anvil")
    return existsSync(program) ? program : null
  } catch {
    return null
  }
}
