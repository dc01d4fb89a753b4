import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** V8's own collector, as `node --expose-gc` has it, without the option. V8 shows it to contexts that are made while the flag is set, and to no other. */
export function garbageCollector(): NodeJS.GCFunction {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as NodeJS.GCFunction
  setFlagsFromString("--no-expose-gc")
  return collect
}
