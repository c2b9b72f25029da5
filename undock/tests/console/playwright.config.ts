import { defineConfig, devices } from '@playwright/test'
import { CHROMIUM } from '../support/chromium.ts'

/** With tests tagged `@nightly`, `npm run test:nightly console` runs these, too: see docs/nightly-tests.md of the repository. */
const NIGHTLY = ['values', 'transfer', 'branches', 'objects', 'accessible-screens', 'untrusted'].map(
  (name) => `**/${name}.test.ts`,
)

// Each worker starts a backend of its own (fixtures.ts), whose console is the one that `npm run console` has built.
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
    // A recorded test takes two thirds more processor time. To see one that failed here: --trace on.
    trace: 'on-first-retry',
    launchOptions: CHROMIUM,
  },
})
