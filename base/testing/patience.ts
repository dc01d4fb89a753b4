/**
 * How long tests wait before they fail, the same for all: nothing is measured by it. A busy machine may be thirty times as slow
 * as a quiet one. A test sets no shorter time of its own (docs/house/patience.test.ts), and none is run again: a test that fails
 * once gets fixed.
 */
export const PATIENCE = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // Ends before its test does, so that it can show what came instead.
  expect: { poll: { timeout: 300_000 } },
  retry: 0,
} as const
