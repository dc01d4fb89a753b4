/**
 * How long tests wait before they fail, the same for all: it does not measure anything. A busy machine can be thirty
 * times as slow as a quiet one. A test sets no shorter limit of its own (docs/house/patience.test.ts), and no test is
 * retried: a test that fails once gets fixed.
 */
export const PATIENCE = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // Ends before its test does, so that it can show the actual result.
  expect: { poll: { timeout: 300_000 } },
  retry: 0,
} as const
