import { defineConfig, devices } from '@playwright/test'
import { CHROMIUM } from '../support/chromium.ts'

// `npm run test:nightly console`: the console on Carrel's project and those in CONSOLE_PROJECTS.
export default defineConfig({
  testDir: '.',
  testMatch: '*.test.ts',
  outputDir: '../../test-results/console-projects',
  workers: 1,
  timeout: 600_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: CHROMIUM,
  },
})
