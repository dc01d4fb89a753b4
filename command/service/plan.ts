import { existsSync } from "node:fs"

import { PLACES, SERVICE, USER } from "./places.ts"
import { holds, idsOf, makeOwnedFolder, run, succeeds, writeOwned } from "./system.ts"
import { firstSettings, firstSources, type Programs, unitFor } from "./unit.ts"

/** One step, performed only if it is not done yet. */
export interface Step {
  /** Its purpose, worded as in `create the folder …`. */
  readonly about: string
  isDone(): boolean
  do(): void
}

const ROOT = 0

/** Installs the service, or updates the installed one: settings and data stay as they are. */
export function installation(programs: Programs): readonly Step[] {
  const unit = unitFor(programs)
  const ofGroup = (mode: number) => ({ mode, uid: ROOT, gid: idsOf(USER).gid })
  const keep = (path: string, what: string, first: () => string): Step => ({
    about: `write ${what}, readable by root and ${USER}: ${path}`,
    isDone: () => existsSync(path),
    do: () => writeOwned(path, first(), ofGroup(0o640)),
  })
  return [
    {
      about: `create the user ${USER}, who cannot log in`,
      isDone: () => succeeds("getent", "passwd", USER),
      do: () =>
        void run(
          "useradd",
          "--system",
          "--user-group",
          "--no-create-home",
          "--home-dir",
          PLACES.data,
          "--shell",
          "/usr/sbin/nologin",
          USER,
        ),
    },
    {
      about: `create the folder for the configuration: ${PLACES.config}`,
      isDone: () => existsSync(PLACES.config),
      do: () => makeOwnedFolder(PLACES.config, ofGroup(0o750)),
    },
    {
      about: `create the folder for the data, for ${USER} only: ${PLACES.data}`,
      isDone: () => existsSync(PLACES.data),
      do: () => makeOwnedFolder(PLACES.data, { mode: 0o700, ...idsOf(USER) }),
    },
    keep(PLACES.settings, "the settings, with a new API key", firstSettings),
    keep(PLACES.sources, "the sources file, without sources yet", firstSources),
    {
      about: `write the unit: ${PLACES.unit}`,
      isDone: () => holds(PLACES.unit, unit),
      do: () => writeOwned(PLACES.unit, unit, { mode: 0o644, uid: ROOT, gid: ROOT }),
    },
    {
      about: `have systemd read the unit and start ${SERVICE} at every boot`,
      isDone: () => false,
      do: () => {
        run("systemctl", "daemon-reload")
        run("systemctl", "enable", SERVICE)
      },
    },
    {
      about: `start ${SERVICE}, or restart it if it is running`,
      isDone: () => false,
      do: () => {
        // After too many failed starts systemd would refuse another.
        succeeds("systemctl", "reset-failed", SERVICE)
        run("systemctl", "restart", SERVICE)
      },
    },
  ]
}

/** Removes the service. Configuration, data and their user stay. */
export const removal = (): readonly Step[] => [
  {
    about: `stop ${SERVICE}, and no longer start it at boot`,
    isDone: () => !existsSync(PLACES.unit),
    do: () => void run("systemctl", "disable", "--now", SERVICE),
  },
  {
    about: `delete the unit: ${PLACES.unit}`,
    isDone: () => !existsSync(PLACES.unit),
    do: () => void run("rm", PLACES.unit),
  },
  {
    about: "have systemd forget the unit",
    isDone: () => false,
    do: () => void run("systemctl", "daemon-reload"),
  },
]
