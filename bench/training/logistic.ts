import { randomNumbers } from "./random.ts"

const EPOCHS = 3
const RATE = 0.1
const DECAY = 1e-5

/**
 * Logistic regression over sparse tokens by Adagrad (Duchi, Hazan and Singer 2011). A row lists its tokens, and
 * `labels` may be shares. Returns one weight a token.
 */
export function trainLogistic(
  rows: readonly Int32Array[],
  labels: ArrayLike<number>,
  weights: ArrayLike<number>,
  used: readonly number[],
  tokens: number,
): Float64Array {
  const bias = tokens
  const theta = new Float64Array(tokens + 1)
  const squares = new Float64Array(tokens + 1).fill(0.1)
  const random = randomNumbers(12_345)
  const order = [...used]
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      const other = order[i]!
      order[i] = order[j]!
      order[j] = other
    }
    for (const i of order) {
      const row = rows[i]!
      let score = theta[bias]!
      for (const token of row) score += theta[token]!
      const slope = (1 / (1 + Math.exp(-score)) - labels[i]!) * weights[i]!
      const step = (token: number) => {
        const gradient = slope + DECAY * theta[token]!
        squares[token]! += gradient * gradient
        theta[token]! -= (RATE * gradient) / Math.sqrt(squares[token]!)
      }
      for (const token of row) step(token)
      step(bias)
    }
  }
  return theta.subarray(0, tokens)
}
