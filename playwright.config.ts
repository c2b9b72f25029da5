import { defineConfig, devices } from '@playwright/test'
import { CHROMIUM } from './undock/tests/support/chromium.ts'

/** Run only by `npm run test:nightly screens`, like tests tagged `@nightly`: see docs/nightly-tests.md. */
const NIGHTLY = [
  'screens',
  'recognition',
  'long-shelf',
  'favorites',
  'comparing',
  'fields',
  'templates',
  'note-links',
  'mail-in',
  'rules',
  'webhooks',
  'api-keys',
  'groups',
  'retention',
  'approval',
  'company-sign-in',
  'hostile-content',
  'extension',
]

const isAtNight = Boolean(process.env.NIGHTLY || process.env.SCREENS)
const given = process.env.PLAYWRIGHT_BASE_URL
// Not the development server's port, which may have another backend. `npm test` sets another if it's in use.
const PORT = Number(process.env.E2E_PORT ?? 4173)
/** The address of the backend's sign-in provider (scripts/test.ts). */
const PROVIDER = process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL
const baseURL = given ?? `http://127.0.0.1:${PORT}`

export default defineConfig({
  testDir: 'tests/e2e',
  // Each test has its own user and library; all share the backend.
  testIgnore: isAtNight ? [] : NIGHTLY.map((name) => `**/${name}.test.ts`),
  ...(isAtNight ? {} : { grepInvert: /@nightly/ }),
  fullyParallel: true,
  // One more than the cores that `npm test` counts on, because pages often wait.
  workers: 3,
  forbidOnly: Boolean(process.env.CI),
  // A test that passes on retry is reported as flaky, without hiding other results.
  retries: process.env.CI ? 1 : 0,
  // Generous: a busy machine isn't a failure of the app.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: process.env.CI ? [['dot'], ['html', { open: 'never' }]] : 'list',
  use: {
    ...devices['Desktop Chrome'],
    baseURL,
    // Recording takes two thirds more CPU time. To trace a failure: --trace on.
    trace: 'on-first-retry',
    // Transitions take a tenth of a test's time. At night they are on.
    contextOptions: { reducedMotion: isAtNight ? 'no-preference' : 'reduce' },
    screenshot: 'only-on-failure',
    // `page.route` doesn't see requests of service workers. The offline tests allow them.
    serviceWorkers: 'block',
    launchOptions: {
      ...CHROMIUM,
      args: [
        ...CHROMIUM.args,
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  // Without an address, the app is built here with that of the backend from `undock run`.
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
