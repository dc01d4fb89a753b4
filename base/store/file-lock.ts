import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { makeFolder } from "../folder.ts"
import { KnownError } from "../errors.ts"
import { isBusy } from "./sqlite/busy.ts"
import { lockFile } from "./lock-file.ts"

const LOOK_MS = 250
/** Folder of locks in the data folder. */
const LOCKS = "locks"

/** Like {@link lockFile}. @returns null if another process holds it */
export function tryLock(file: string): Disposable | null {
  try {
    return lockFile(file, 0)
  } catch (error) {
    if (isBusy(error)) return null
    throw error
  }
}

/** Work for which a data folder is locked. The crawler of an appliance has its own lock, since it can run in a separate container. */
export type FolderRole = "appliance" | "crawler"

const TAKEN: Readonly<Record<FolderRole, (by: string, dataDir: string) => string>> = {
  appliance: (by, dataDir) =>
    `Another appliance${by} is using ${dataDir}. Stop it first, or set FOSSICK_DATA_DIR to another folder for this one.`,
  crawler: (by, dataDir) =>
    `Another crawler${by} is using ${dataDir}. Stop it first, or set FOSSICK_DATA_DIR to another folder for this appliance.`,
}

/** Locks are kept here, because a garbage-collected lock would be released. */
const held = new Set<Disposable>()

export interface TakeOptions {
  /** How long to wait for another process to end, in milliseconds. Default: 0. */
  readonly patienceMs?: number
  /** Whether others may have the same role. Default false: this process is then the only one. */
  readonly isShared?: boolean
}

/** Number of processes that may share a role. */
const MOST_SHARING = 32

/**
 * Locks an existing data folder for this process until it ends.
 *
 * @throws KnownError that names the process holding it
 */
export async function takeFolder(
  dataDir: string,
  role: FolderRole,
  { patienceMs = 0, isShared = false }: TakeOptions = {},
): Promise<void> {
  const folder = path.join(dataDir, LOCKS)
  makeFolder(folder)
  const late = performance.now() + patienceMs
  for (;;) {
    const taken = isShared ? takeOne(folder, role) : takeAll(folder, role)
    if (taken === null) return
    if (performance.now() >= late) throw new KnownError(TAKEN[role](holderOf(taken), dataDir))
    await sleep(LOOK_MS)
  }
}

/**
 * The paths of the slots for processes that share a role; the first is also used for a role with a single process, and
 * by a process that is looking for a slot.
 */
const placeOf = (folder: string, role: FolderRole, at = 0): string =>
  path.join(folder, at === 0 ? role : `${role}-${at + 1}`)

/** @returns null if this process now has a slot, otherwise the path of a slot that another process holds */
function takeOne(folder: string, role: FolderRole): string | null {
  const first = placeOf(folder, role)
  using look = tryLock(`${first}.lock`)
  if (look === null) return first
  for (let at = 1; at <= MOST_SHARING; at++) {
    const place = placeOf(folder, role, at)
    const lock = tryLock(`${place}.lock`)
    if (lock === null) continue
    hold(place, lock)
    return null
  }
  return placeOf(folder, role, 1)
}

/** Like {@link takeOne}, for a role that is not shared. */
function takeAll(folder: string, role: FolderRole): string | null {
  const first = placeOf(folder, role)
  const lock = tryLock(`${first}.lock`)
  if (lock === null) return first
  for (let at = 1; at <= MOST_SHARING; at++) {
    const place = placeOf(folder, role, at)
    if (!existsSync(`${place}.lock`)) continue
    using other = tryLock(`${place}.lock`)
    if (other !== null) continue
    lock[Symbol.dispose]()
    return place
  }
  hold(first, lock)
  return null
}

function hold(place: string, lock: Disposable): void {
  noteHolder(place)
  held.add(lock)
}

/** Records the holder of a lock in a file next to it. The file is only for people: the lock is valid without it, so a full disk is no reason not to hold the lock. */
export function noteHolder(place: string): void {
  try {
    writeFileSync(`${place}.pid`, `${process.pid} ${hostname()}\n`)
  } catch {
    // Without the file, others just don't see who holds the lock.
  }
}

/**
 * The holder of a lock, as text: ` (process 4711)`, with the host if that is not this one; empty if unknown. Process
 * ids are those inside a container, and the host's name is the one in `docker ps`.
 */
export function holderOf(place: string): string {
  try {
    const [pid, host] = readFileSync(`${place}.pid`, "utf8").trim().split(" ")
    if (!pid) return ""
    return host === hostname() ? ` (process ${pid})` : ` (process ${pid} on ${host})`
  } catch {
    return ""
  }
}
