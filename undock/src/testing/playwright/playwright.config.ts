import { defineConfig } from '@playwright/test'

export default defineConfig({ testDir: '.', workers: 2, fullyParallel: true, reporter: 'json', timeout: 240_000 })
