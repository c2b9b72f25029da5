import { configDefaults, defineConfig } from 'vitest/config'
import { projects } from './undock/vitest.config.ts'

/** Tests that always run, and use both engines with NIGHTLY. */
export const LARGER_AT_NIGHT = ['tests/hostile/api-keys.test.ts', 'tests/hostile/channels.test.ts']

/** Run only by `npm run test:nightly integration`; faster tests cover parts of them. */
export const NIGHTLY = ['receive-mail', 'self-host', 'watch-folder', 'sign-in-by-company'].map(
  (name) => `tests/acceptance/${name}.test.ts`,
)

export default defineConfig({
  test: {
    projects: [
      ...projects,
      {
        extends: './vite.config.ts',
        test: {
          name: 'app',
          include: ['src/**/*.test.{ts,tsx}', 'tests/hostile/app/*.test.ts'],
          setupFiles: ['src/testing/setup.ts'],
          environment: 'node',
          isolate: false,
          maxWorkers: 3,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['tests/acceptance/*.test.ts', 'tests/hostile/*.test.ts'],
          exclude: [...configDefaults.exclude, ...(process.env.NIGHTLY ? [] : NIGHTLY)],
          environment: 'node',
          pool: 'forks',
          isolate: false,
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    // One more than the cores that `npm test` counts on, because many tests wait.
    maxWorkers: 3,
  },
})
