/** The tests that only `npm run test:nightly` runs, because a run of all tests must stay below 25 minutes: each takes long, and what
 *  it tries is tried in parts by faster ones. */

/** Names in `tests/e2e`. */
export const NIGHTLY_BROWSER = [
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
]

/** Paths in `undock`. */
export const NIGHTLY_UNDOCK = [
  ...['playwright', 'workers', 'vitest-failure'].map((name) => `src/test-kit/${name}.test.ts`),
  'src/runtime/branches/running.test.ts',
  'src/database/dump/hostile-names.test.ts',
]

/** Paths in the repository. */
export const NIGHTLY_ACCEPTANCE = ['explain', 'requests-replay', 'majors', 'workflow'].map(
  (name) => `tests/acceptance/${name}.test.ts`,
)
