import { accessSync, constants } from "node:fs"

/** Where LibreOffice is, or a message that says why it is not used and what to do. */
export type FoundConverter = { readonly path: string } | { readonly missing: string }

/** The value of the setting that leaves these files unread. */
const OFF = "off"
const PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    "/usr/bin/soffice",
    "/usr/local/bin/soffice",
    "/usr/lib/libreoffice/program/soffice",
    "/usr/lib64/libreoffice/program/soffice",
    "/opt/libreoffice/program/soffice",
  ],
  darwin: ["/Applications/LibreOffice.app/Contents/MacOS/soffice"],
}
const ADVICE =
  "install LibreOffice (Debian: apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui) or set FOSSICK_OFFICE_CONVERTER to its soffice"

/** Looks for LibreOffice on each call, so that a new installation is used at once. `configured`: the setting, which can be empty. */
export function findConverter(configured: string): FoundConverter {
  if (configured === OFF) return { missing: "FOSSICK_OFFICE_CONVERTER is off" }
  if (process.platform === "win32") return { missing: "converting them is not supported on Windows" }
  if (configured !== "") {
    return isExecutable(configured)
      ? { path: configured }
      : { missing: `FOSSICK_OFFICE_CONVERTER is ${configured}, which isn't a program` }
  }
  const path = PLACES[process.platform]?.find(isExecutable)
  return path === undefined ? { missing: `to read it, ${ADVICE}` } : { path }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
