import { defineConfig, devices } from '@playwright/test'
import { CHROMIUM } from '../support/chromium.ts'

// The site built by `npm run site`; `npm run test:nightly website` does both.
export default defineConfig({
  testDir: '.',
  testMatch: 'site.test.ts',
  outputDir: '../../test-results/website',
  workers: 1,
  forbidOnly: Boolean(process.env.CI),
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: process.env.CI ? 'dot' : 'list',
  use: { ...devices['Desktop Chrome'], launchOptions: CHROMIUM },
})
