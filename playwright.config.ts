import { existsSync } from 'node:fs'
import { defineConfig, devices } from '@playwright/test'

const SYSTEM_CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const given = process.env.PLAYWRIGHT_BASE_URL
const baseURL = given ?? 'http://127.0.0.1:5173'

export default defineConfig({
  testDir: 'tests/e2e',
  // Each test has a person and a library of its own; the backend is shared.
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: process.env.CI ? [['list'], ['html', { open: 'never' }]] : 'list',
  use: {
    ...devices['Desktop Chrome'],
    baseURL,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      // Debian's Chromium where it is; else the one that Playwright installs.
      ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {}),
      args: [
        // Root inside a container has no sandbox to offer.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  // Where an address is given, somebody else serves the app there.
  ...(given
    ? {}
    : { webServer: { command: 'npx vite build && npx vite preview', url: baseURL, reuseExistingServer: true, timeout: 120_000 } }),
})
