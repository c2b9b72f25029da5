import { existsSync } from 'node:fs'
import { defineConfig, devices } from '@playwright/test'

const SYSTEM_CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const given = process.env.PLAYWRIGHT_BASE_URL
// Not the development server's port: that one may be running, in front of another backend.
const PORT = 4173
/** Where the stack is told to look for a company's sign-in (scripts/test.ts). */
const PROVIDER = process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL
const baseURL = given ?? `http://127.0.0.1:${PORT}`

export default defineConfig({
  testDir: 'tests/e2e',
  // Each test has a person and a library of its own; the backend is shared.
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // A test that passes the second time only is reported as flaky; on a machine shared with others it does not fail the run.
  retries: process.env.CI ? 1 : 0,
  // Generous: a machine that is busy with something else is no fault of the app.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: process.env.CI ? [['dot'], ['html', { open: 'never' }]] : 'list',
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
  // Where an address is given, somebody else serves the app there. Built here, because the address of the backend, which
  // `undock run` has just put into the environment, becomes part of the app.
  ...(given
    ? {}
    : {
        webServer: [
          {
            command: `npx vite build --mode test --logLevel warn && npx vite preview --port ${PORT}`,
            url: baseURL,
            reuseExistingServer: false,
            timeout: 120_000,
          },
          ...(PROVIDER
            ? [
                {
                  command: `"${process.execPath}" tests/e2e/identity-provider.ts ${new URL(PROVIDER).port}`,
                  url: `${PROVIDER}/.well-known/openid-configuration`,
                  reuseExistingServer: false,
                },
              ]
            : []),
        ],
      }),
})
