/** Where the parts of the service are, as the Filesystem Hierarchy Standard has it. */
export const PLACES = {
  unit: "/etc/systemd/system/fossick.service",
  config: "/etc/fossick",
  settings: "/etc/fossick/fossick.env",
  sources: "/etc/fossick/sources.yaml",
  data: "/var/lib/fossick",
} as const

export const USER = "fossick"
export const SERVICE = "fossick"
