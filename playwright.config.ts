import { defineConfig, devices } from '@playwright/test'
import { CHROMIUM } from './undock/tests/support/chromium.ts'

/** Tests that, with those tagged `@nightly`, only `npm run test:nightly screens` runs: see docs/nightly-tests.md. */
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
  'company-sign-in',
  'hostile-content',
  'extension',
]

const isAtNight = Boolean(process.env.NIGHTLY || process.env.SCREENS)
const given = process.env.PLAYWRIGHT_BASE_URL
// A port of its own: the development server may be running on its port, with another backend. `npm test` names another where a
// program uses it.
const PORT = Number(process.env.E2E_PORT ?? 4173)
/** The address where the stack expects a company's sign-in provider (scripts/test.ts). */
const PROVIDER = process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL
const baseURL = given ?? `http://127.0.0.1:${PORT}`

export default defineConfig({
  testDir: 'tests/e2e',
  // Each test has its own user and library; all tests share the backend.
  testIgnore: isAtNight ? [] : NIGHTLY.map((name) => `**/${name}.test.ts`),
  ...(isAtNight ? {} : { grepInvert: /@nightly/ }),
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // The report calls a test that passes only the second time "flaky": it has found a defect, but must not hide what else is found.
  retries: process.env.CI ? 1 : 0,
  // Generous: slowness of a busy machine is not a failure of the app.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: process.env.CI ? [['dot'], ['html', { open: 'never' }]] : 'list',
  use: {
    ...devices['Desktop Chrome'],
    baseURL,
    // A recorded test takes two thirds more processor time. To see one that failed here: --trace on.
    trace: 'on-first-retry',
    // Drawing transitions is a tenth of a test's time. At night, screens move.
    contextOptions: { reducedMotion: isAtNight ? 'no-preference' : 'reduce' },
    screenshot: 'only-on-failure',
    // Requests that pass a service worker are out of reach of `page.route`. The tests of offline reading allow it.
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
  // If an address is given, the app is already served there. Otherwise it is built here, because the address of the
  // backend, which `undock run` has just put into the environment, becomes part of the app.
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
