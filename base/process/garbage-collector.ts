import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** V8's own garbage collector function, as with `node --expose-gc`, but without the option. V8 exposes it only to contexts created while the flag is set. */
export function garbageCollector(): NodeJS.GCFunction {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as NodeJS.GCFunction
  setFlagsFromString("--no-expose-gc")
  return collect
}
