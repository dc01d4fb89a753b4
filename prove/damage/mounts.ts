import { spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { basename } from "node:path"

// A data folder on its own file system, seen by one appliance only: its disk can fail without affecting anything else.

/** A command prefix under which a command sees a folder differently. */
export type Through = readonly string[]

const runs = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0

/** Whether this system permits private mounts (Linux, user namespaces). */
export const mayMount = runs("unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt")

/** Whether this system also permits private disks that can be made to fail: only for the machine's root. */
export const mayFail =
  process.getuid?.() === 0 &&
  runs("sh", "-c", "command -v mkfs.ext4 && test -d /sys/fs/ext4 && losetup -f && unshare -m true")

const seeing = (unshare: string, folder: string, how: string): Through => [
  "unshare",
  unshare,
  "sh",
  "-c",
  `${how} && shift && exec "$@"`,
  "sh",
  folder,
]

/** Makes the folder readable but not writable. */
export const readOnly = (folder: string): Through =>
  seeing("-rm", folder, 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"')

/** Undoes {@link readOnly}, for a process that runs through it. */
export const makeWritable = (pid: number, folder: string): boolean =>
  runs(
    "nsenter",
    "-t",
    String(pid),
    "-U",
    "-m",
    "--preserve-credentials",
    "mount",
    "-o",
    "remount,bind,rw",
    folder,
  )

/** Puts the folder's content on its own disk, and fills the disk completely. */
export const full = (folder: string): Through =>
  seeing(
    "-rm",
    folder,
    `mkdir "$1.of" && mount --bind "$1" "$1.of" && mount -t tmpfs -o size=64m none "$1" && cp -a "$1.of/." "$1" && { dd if=/dev/zero of="$1/filled" bs=4k 2>/dev/null; true; }`,
  )

/** Frees space again, for a process that runs through {@link full}. */
export const makeRoom = (pid: number, folder: string): void => rmSync(`/proc/${pid}/root${folder}/filled`)

/** Puts the folder's content on its own disk, which Linux makes read-only when it fails. */
export const ownDisk = (folder: string): Through =>
  seeing(
    "-m",
    folder,
    `truncate -s 256M "$1.disk" && mkfs.ext4 -q -F "$1.disk" && mkdir "$1.of" && mount --bind "$1" "$1.of" && mount -o loop,errors=remount-ro "$1.disk" "$1" && rmdir "$1/lost+found" && cp -a "$1.of/." "$1" && sync -f "$1"`,
  )

/** Repairs the disk of {@link ownDisk} after it failed. */
export const sameDisk = (folder: string): Through => seeing("-m", folder, 'mount -o loop "$1.disk" "$1"')

/** Makes the disk of {@link ownDisk} fail, from Linux's point of view. */
export function fail(folder: string): void {
  const device = spawnSync("losetup", ["-n", "-O", "NAME", "-j", `${folder}.disk`], {
    encoding: "utf8",
  }).stdout.trim()
  writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, "1")
}
