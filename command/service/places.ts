/** The paths of the service's parts, according to the Filesystem Hierarchy Standard. */
export const PLACES = {
  unit: "/etc/systemd/system/fossick.service",
  config: "/etc/fossick",
  settings: "/etc/fossick/fossick.env",
  sources: "/etc/fossick/sources.yaml",
  data: "/var/lib/fossick",
} as const

export const USER = "fossick"
export const SERVICE = "fossick"
