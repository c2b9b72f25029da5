import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import { build } from 'vite'
import { CHROMIUM } from './chromium.ts'

const DOCUMENT = '<!doctype html><body><script src="/app.js"></script>'

export type OpenedPage = { readonly page: Page; close(): Promise<void> }

/** Opens an empty page in Chromium that runs a script from `tests/acceptance/pages`.
 *  @param script The file's name. Its exports are the page's global `app`. */
export async function openPage(script: string): Promise<OpenedPage> {
  const code = await bundle(fileURLToPath(new URL(`../acceptance/pages/${script}`, import.meta.url)))
  const site = createServer(({ url }, response) =>
    url === '/app.js'
      ? response.setHeader('content-type', 'text/javascript').end(code)
      : response.setHeader('content-type', 'text/html').end(DOCUMENT),
  )
  await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve))
  const browser = await chromium.launch(CHROMIUM)
  const page = await browser.newPage()
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
  return {
    page,
    close: async () => {
      await browser.close()
      site.closeAllConnections()
      site.close()
    },
  }
}

async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, formats: ['iife'], name: 'app' } },
  })
  const [first] = [built].flat()
  if (!first || !('output' in first)) throw new Error(`Vite made no script of ${entry}`)
  return first.output[0].code
}
