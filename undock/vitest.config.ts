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

/** Tests that call `vi.mock`, change the process before they load modules, or need a `fetch` that other modules haven't
 *  changed. */
const OWN_PROCESS = [
  'src/config/public-host.test.ts',
  'src/database/postgres/usable-extensions.test.ts',
  'src/database/project/lock.test.ts',
  'src/platform/startable.test.ts',
  'src/runtime/place/port-assignment.test.ts',
  'tests/acceptance/serve-workers.test.ts',
]

const shared = {
  root: import.meta.dirname,
  environment: 'node',
  pool: 'forks',
  // Files share a process, which has read undock's modules once.
  isolate: false,
  maxWorkers: 3,
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const
const exclude = [...configDefaults.exclude, ...(process.env.NIGHTLY ? [] : NIGHTLY)]

export const projects: TestProjectConfiguration[] = [
  {
    test: {
      ...shared,
      name: 'undock',
      include: ['src/**/*.test.ts', 'bench/*.test.ts'],
      exclude: [...exclude, ...OWN_PROCESS],
    },
  },
  {
    test: {
      ...shared,
      name: 'services',
      include: ['tests/acceptance/**/*.test.ts', 'tests/hostile/*.test.ts'],
      exclude: [...exclude, ...OWN_PROCESS],
    },
  },
  { test: { ...shared, name: 'own-process', isolate: true, include: OWN_PROCESS, exclude } },
  { test: { ...shared, name: 'console', include: ['console/src/**/*.test.ts'] } },
]

export default defineConfig({ test: { projects, maxWorkers: 3 } })
