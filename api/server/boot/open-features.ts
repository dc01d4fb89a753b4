import type { Feature } from "../../feature.ts"
import type { OpenedBy } from "../../features.ts"

/**
 * Opens the features, one after the other.
 * @param from the parts that features are built from, plus the parts that earlier features opened
 * @param closing closes the features
 */
export async function openFeatures<From, F extends Feature<never, From & OpenedBy<F>>>(
  all: readonly F[],
  from: From,
  closing: AsyncDisposableStack,
): Promise<OpenedBy<F>> {
  let opened: Readonly<Record<string, unknown>> = {}
  for (const { name, open } of all) {
    const own = await open?.({ ...from, ...(opened as OpenedBy<F>) }, closing)
    if (own !== undefined) opened = { ...opened, [name]: own }
  }
  return opened as OpenedBy<F>
}
