import { configDefaults, defineConfig } from 'vitest/config'
import { NIGHTLY_ACCEPTANCE, NIGHTLY_UNDOCK } from './scripts/nightly-tests.ts'

const without = (paths: string[]) => [...configDefaults.exclude, ...(process.env.NIGHTLY ? [] : paths)]

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'undock',
          root: 'undock',
          include: ['src/**/*.test.ts'],
          exclude: without(NIGHTLY_UNDOCK),
          environment: 'node',
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: 'console', include: ['undock/console/src/**/*.test.ts'], environment: 'node' },
      },
      {
        extends: './vite.config.ts',
        test: {
          name: 'app',
          include: ['src/**/*.test.{ts,tsx}', 'tests/hostile/app/*.test.ts'],
          environment: 'jsdom',
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['tests/acceptance/**/*.test.ts', 'tests/hostile/*.test.ts'],
          exclude: without(NIGHTLY_ACCEPTANCE),
          environment: 'node',
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    maxWorkers: 2,
  },
})
