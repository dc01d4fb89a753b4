/**
 * How long tests wait before they fail. It is the same for all tests, since it does not measure anything: a busy
 * machine can be thirty times slower than an idle one. A test sets no shorter limit of its own
 * (docs/house/patience.test.ts), and no test is retried: a test that fails once gets fixed.
 */
export const PATIENCE = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // A poll ends before its test does, so that it can show the actual result.
  expect: { poll: { timeout: 300_000 } },
  retry: 0,
} as const
