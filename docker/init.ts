import { randomBytes } from "node:crypto"
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"

// Runs to completion before the services of compose.yaml start: creates the folders that they mount, and the key shared
// by Meilisearch and the appliance. It runs as root only until it has handed over folders owned by root.

const DATA_DIR = process.env["FOSSICK_DATA_DIR"] ?? "/data"
/** One folder for each service that stores something; Meilisearch's `tmp` holds the data that it sorts on disk. */
const FOLDERS = ["secrets", "meilisearch", "meilisearch/tmp", "model"]
const KEY_FILE = join(DATA_DIR, "secrets/meilisearch-master-key")
/** 256 bits: twice what Meilisearch requires. */
const KEY_BYTES = 32

try {
  const [uid, gid] = [id("APPLIANCE_UID"), id("APPLIANCE_GID")]
  for (const folder of ["", ...FOLDERS]) handOver(join(DATA_DIR, folder), uid, gid)
  process.setgid?.(gid)
  process.setuid?.(uid)
  accessSync(DATA_DIR, constants.W_OK)
  mkdirSync(join(DATA_DIR, "secrets"), { recursive: true, mode: 0o700 })
  for (const folder of FOLDERS) mkdirSync(join(DATA_DIR, folder), { recursive: true })
  makeKey()
} catch (error) {
  process.stderr.write(`${advice(error as NodeJS.ErrnoException)}\n`)
  process.exitCode = 1
}

function id(name: string): number {
  const value = process.env[name] ?? ""
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${name} must be a number, as shown by \`id\`.`)
  return Number(value)
}

/** Docker creates missing mount folders as root. Files owned by other users stay unchanged. */
function handOver(folder: string, uid: number, gid: number): void {
  if (!existsSync(folder) || statSync(folder).uid !== 0) return
  chownSync(folder, uid, gid)
}

/** Writes the file completely or not at all, and never over an existing one. */
function makeKey(): void {
  if (existsSync(KEY_FILE)) return
  const draft = `${KEY_FILE}.${process.pid}`
  writeFileSync(draft, randomBytes(KEY_BYTES).toString("base64url"), { mode: 0o600, flush: true })
  try {
    linkSync(draft, KEY_FILE)
  } finally {
    rmSync(draft)
  }
}

function advice(error: NodeJS.ErrnoException): string {
  if (error.code !== "EACCES" && error.code !== "EPERM") return error.message
  const owner = statSync(DATA_DIR)
  return (
    `The data folder cannot be written to: it belongs to user ${owner.uid} and group ${owner.gid}. Put ` +
    `APPLIANCE_UID=${owner.uid} and APPLIANCE_GID=${owner.gid} into the file .env beside compose.yaml, or give the folder to ` +
    `user ${process.env["APPLIANCE_UID"]}.`
  )
}
