import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `npm run test:nightly website`
export default defineConfig({
  test: {
    name: 'website',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['tests/website/guides.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
})
