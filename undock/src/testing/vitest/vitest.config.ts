import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { dir: fileURLToPath(new URL('.', import.meta.url)), include: ['*.spec.ts'], testTimeout: 60_000 },
})
