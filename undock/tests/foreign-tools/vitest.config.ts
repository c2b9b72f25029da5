import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `npm run test:nightly foreign-tools`: separate from the other tests, because the tools have their own packages.
export default defineConfig({
  test: {
    name: 'foreign-tools',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['tests/foreign-tools/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
