import { configDefaults, defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** The tests that only `npm run test:nightly` runs, because a run of all tests must stay below 25 minutes: each takes long, and what
 *  it tries is tried in parts by faster ones. Paths in this folder. */
export const NIGHTLY = [
  ...['playwright', 'workers', 'vitest-failure'].map((name) => `src/test-kit/${name}.test.ts`),
  'src/runtime/branches/running.test.ts',
  'src/database/dump/hostile-names.test.ts',
  ...['explain', 'requests-replay', 'majors', 'workflow'].map((name) => `tests/acceptance/${name}.test.ts`),
  ...['auth-hooks', 'fairness', 'slow-headers'].map((name) => `tests/hostile/${name}.test.ts`),
]

/** Tests that always run, and try more when the variable NIGHTLY is set. */
export const LARGER_AT_NIGHT = ['tests/hostile/many-sockets.test.ts']

const root = import.meta.dirname
const exclude = [...configDefaults.exclude, ...(process.env.NIGHTLY ? [] : NIGHTLY)]

export const projects: TestProjectConfiguration[] = [
  {
    test: {
      name: 'undock',
      root,
      include: ['src/**/*.test.ts'],
      exclude,
      environment: 'node',
      pool: 'forks',
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  },
  { test: { name: 'console', root, include: ['console/src/**/*.test.ts'], environment: 'node' } },
  {
    test: {
      name: 'services',
      root,
      include: ['tests/acceptance/**/*.test.ts', 'tests/hostile/*.test.ts'],
      exclude,
      environment: 'node',
      pool: 'forks',
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
  },
]

export default defineConfig({ test: { projects, maxWorkers: 2 } })
