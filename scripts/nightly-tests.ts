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
  'hostile-content',
]

/** Paths in `undock`. */
export const NIGHTLY_UNDOCK = [
  ...['playwright', 'workers', 'vitest-failure'].map((name) => `src/test-kit/${name}.test.ts`),
  'src/runtime/branches/running.test.ts',
  'src/database/dump/hostile-names.test.ts',
]

/** Paths in the repository. */
export const NIGHTLY_ACCEPTANCE = [
  ...['explain', 'requests-replay', 'majors', 'workflow'].map((name) => `tests/acceptance/${name}.test.ts`),
  ...['auth-hooks', 'fairness', 'slow-headers'].map((name) => `tests/hostile/${name}.test.ts`),
]

/** Paths in the repository of tests that always run, and try more when the variable NIGHTLY is set. */
export const LARGER_AT_NIGHT = ['tests/hostile/many-sockets.test.ts']
