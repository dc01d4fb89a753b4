import { type Connections, openConnections } from "./connections.ts"
import { type Gates, openGates } from "./gates.ts"
import { IdleCollection } from "./memory/idle-collection.ts"
import { type Memory, openMemory } from "./memory/memory.ts"

/**
 * The limits for all callers together: one set for both listeners, which share the descriptors and the memory of the
 * process.
 * @param closing stops the memory check
 */
export function openLoad(
  config: Parameters<typeof openConnections>[0] &
    Parameters<typeof openGates>[0] &
    Parameters<typeof openMemory>[0],
  closing: AsyncDisposableStack,
): { readonly gates: Gates; readonly connections: Connections; readonly memory: Memory } {
  const connections = openConnections(config)
  const memory = closing.use(openMemory(config, connections))
  closing.use(new IdleCollection())
  return { gates: openGates(config), connections, memory }
}
