import { configDefaults, defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** Long tests that only `npm run test:nightly` runs; faster ones cover their parts. Paths in this folder. */
export const NIGHTLY = [
  ...['playwright', 'workers', 'vitest-failure'].map((name) => `src/test-kit/${name}.test.ts`),
  'src/runtime/branches/running.test.ts',
  'src/cli/init-starter.test.ts',
  'src/project-tools/dump/hostile-names.test.ts',
  ...['objects/sudden-end', 'files/killed-node'].map((name) => `src/storage/${name}.test.ts`),
  ...[
    ...['advisors', 'dump-and-diff', 'explain', 'requests-replay', 'majors', 'workflow', 'fork'],
    ...['histories', 'agents-read-only', 'realtime-browser', 'auth-browser', 'cache-helpers', 'uppy', 's3-tools'],
  ].map((name) => `tests/acceptance/${name}.test.ts`),
  ...['auth-hooks', 'fairness', 'member-names', 'slow-headers'].map((name) => `tests/hostile/${name}.test.ts`),
]

/** Tests that always run, and try more when the variable NIGHTLY is set. */
export const LARGER_AT_NIGHT = [
  'src/database/project/server-project.test.ts',
  ...['hostile/many-sockets', 'acceptance/replica-reads', 'acceptance/sleep'].map((name) => `tests/${name}.test.ts`),
]

/** The tests of the services, which share processes. */
const SERVICES = [
  ...['rest', 'auth', 'storage', 'realtime'].map((part) => `src/${part}/**/*.test.ts`),
  ...['bootstrap/bootstrap', 'migrations/apply'].map((name) => `src/database/${name}.test.ts`),
]

const root = import.meta.dirname
const exclude = [...configDefaults.exclude, ...(process.env.NIGHTLY ? [] : NIGHTLY)]

export const projects: TestProjectConfiguration[] = [
  {
    test: {
      name: 'undock',
      root,
      include: ['src/**/*.test.ts', 'bench/*.test.ts'],
      exclude: [...exclude, ...SERVICES],
      environment: 'node',
      pool: 'forks',
      maxWorkers: 3,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'database-services',
      root,
      include: SERVICES,
      exclude,
      environment: 'node',
      pool: 'forks',
      // Their files share a process, which has read the modules of the services once.
      isolate: false,
      maxWorkers: 3,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'console',
      root,
      include: ['console/src/**/*.test.ts'],
      environment: 'node',
      isolate: false,
      maxWorkers: 3,
    },
  },
  {
    test: {
      name: 'services',
      root,
      include: ['tests/acceptance/**/*.test.ts', 'tests/hostile/*.test.ts'],
      exclude,
      environment: 'node',
      pool: 'forks',
      maxWorkers: 3,
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
  },
]

export default defineConfig({ test: { projects, maxWorkers: 3 } })
