import { Gauge, type Registry } from "prom-client"

export interface DiskParts {
  /** Free bytes on the data folder's disk; null if unknown. */
  readonly freeBytes: () => number | null
  /** Number of answered calls that are waiting for disk space before they can be counted. */
  readonly uncounted: () => number
}

/** Free space on the data folder's disk, and the calls waiting for it. */
export function registerDisk(registry: Registry, { freeBytes, uncounted }: DiskParts): void {
  const free: Gauge = new Gauge({
    name: "fossick_disk_free_bytes",
    help: "Bytes left on the disk of the data folder.",
    registers: [],
    collect() {
      const bytes = freeBytes()
      if (bytes !== null && Number.isFinite(bytes)) this.set(bytes)
    },
  })
  const waiting: Gauge = new Gauge({
    name: "fossick_calls_uncounted",
    help: "Calls that were answered on a full disk and are waiting to be counted.",
    registers: [],
    collect() {
      this.set(uncounted())
    },
  })
  for (const gauge of [free, waiting]) registry.registerMetric(gauge)
}
