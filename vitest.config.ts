import { defineConfig } from 'vitest/config'
import { projects } from './undock/vitest.config.ts'

export default defineConfig({
  test: {
    projects: [
      ...projects,
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
          include: ['tests/acceptance/*.test.ts', 'tests/hostile/*.test.ts'],
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
