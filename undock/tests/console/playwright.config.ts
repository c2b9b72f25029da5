import { defineConfig, devices } from '@playwright/test'
import { CHROMIUM } from '../support/chromium.ts'

/** `npm run test:nightly console` also runs tests tagged `@nightly`; see docs/nightly-tests.md in the repository. */
const NIGHTLY = ['values', 'transfer', 'branches', 'objects', 'accessible-screens', 'untrusted'].map(
  (name) => `**/${name}.test.ts`,
)

// Each worker starts its own backend (fixtures.ts), with the console built by `npm run console`.
export default defineConfig({
  testDir: '.',
  testMatch: '*.test.ts',
  ...(process.env.NIGHTLY ? {} : { testIgnore: NIGHTLY, grepInvert: /@nightly/ }),
  outputDir: '../../test-results/console',
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: process.env.CI ? 'dot' : 'list',
  use: {
    ...devices['Desktop Chrome'],
    // Recording takes two thirds more processor time. To debug a failure: --trace on.
    trace: 'on-first-retry',
    launchOptions: CHROMIUM,
  },
})
