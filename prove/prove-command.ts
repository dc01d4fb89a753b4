import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { rowsIn, section, table, withSection } from "./page.ts"
import type { Proof } from "./proof.ts"
import { openProof, proofNames } from "./proofs.ts"

const PAGE = join(import.meta.dirname, "../docs/proofs.md")

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Share of the number of tries behind the handbook's figures. */
    scale: { type: "string", default: "1" },
    /** The random seed. */
    seed: { type: "string", default: "1" },
    /** Whether to put the figures into the handbook. */
    write: { type: "boolean", default: false },
  },
})
const scale = Number(values.scale)
const seed = Number(values.seed)
const names = positionals.includes("all") ? proofNames() : positionals
const unknown = names.filter((name) => !proofNames().includes(name))

if (names.length === 0 || unknown.length > 0 || !(scale > 0) || !Number.isSafeInteger(seed)) {
  if (unknown.length > 0) console.error(`There is no proof named ${unknown.join(", ")}.`)
  console.error("npm run prove -- NAME… [--scale 0.1] [--seed 1] [--write]; NAME is all, or one of:\n")
  for (const name of proofNames()) console.error(`  ${name.padEnd(14)} ${(await openProof(name)).title}`)
  process.exit(2)
}

for (const name of names) {
  // Proofs run one after the other, so that they don't affect each other's measurements.
  // oxlint-disable-next-line no-await-in-loop
  await prove(name, await openProof(name))
}

async function prove(name: string, proof: Proof): Promise<void> {
  console.error(`${proof.title}, scale ${scale}, seed ${seed}`)
  const outcome = await proof.run({ scale, seed, tell: (line) => console.error(`  ${line}`) })
  console.log(`\n${table(outcome)}\n`)
  for (const fault of outcome.faults) console.log(`NOT KEPT: ${fault}`)
  if (outcome.faults.length > 0) process.exitCode = 1
  if (values.write) {
    const page = readFileSync(PAGE, "utf8")
    const before = rowsIn(page, proof.title, outcome.columns)
    const rows = proof.joined?.(before, outcome.rows) ?? outcome.rows
    // Merged rows contain their own scale.
    const atScale = scale === 1 || proof.joined ? "" : ` --scale ${scale}`
    const text = section(proof, { ...outcome, rows }, `npm run prove -- ${name}${atScale} --seed ${seed}`)
    writeFileSync(PAGE, withSection(page, text))
    if (outcome.picture) writeFileSync(join(dirname(PAGE), outcome.picture.file), outcome.picture.svg)
  }
}
