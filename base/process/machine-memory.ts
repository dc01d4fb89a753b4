import { totalmem } from "node:os"

/** Bytes of memory of the machine, or of the container if its limit is lower. */
export function machineMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
