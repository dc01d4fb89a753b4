import type { Pooling } from "./embed-protocol.ts"

/**
 * Returns one vector of unit length from the token states of one text.
 *
 * @param states tokens × dimensions, row by row. One text per call has no padding, so no mask is needed.
 */
export function pool(states: Float32Array, dimensions: number, pooling: Pooling): Float32Array {
  const end = pooling === "cls" ? dimensions : states.length
  const vector = new Float32Array(dimensions)
  for (let at = 0; at < end; at += dimensions) {
    for (let i = 0; i < dimensions; i++) vector[i]! += states[at + i]!
  }
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += vector[i]! * vector[i]!
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
  for (let i = 0; i < dimensions; i++) vector[i]! *= scale
  return vector
}
