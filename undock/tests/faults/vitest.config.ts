import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `npm run test:nightly faults`: separate from the other tests, because it takes minutes and the whole machine.
export default defineConfig({
  test: {
    name: 'faults',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['tests/faults/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
})
