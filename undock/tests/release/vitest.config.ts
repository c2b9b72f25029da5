import { defineConfig } from 'vitest/config'

// `npm run test:nightly release`
export default defineConfig({
  test: {
    name: 'release',
    root: import.meta.dirname,
    include: ['*.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
})
