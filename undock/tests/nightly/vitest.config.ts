import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `npm run test:nightly cli backends`
export default defineConfig({
  test: {
    name: 'nightly',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['tests/nightly/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
