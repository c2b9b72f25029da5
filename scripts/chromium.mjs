// Finds Chromium: CHROMIUM_PATH, the system's, or Playwright's.
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const SYSTEM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** @returns {string | null} the path of an executable, 'playwright' for Playwright's own, or null. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH
  if (named) return existsSync(named) ? named : null
  return SYSTEM.find((path) => existsSync(path)) ?? (hasPlaywrightBrowser() ? 'playwright' : null)
}

function hasPlaywrightBrowser() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), '.cache', 'ms-playwright'),
    join(homedir(), 'Library', 'Caches', 'ms-playwright'),
    join(process.env.LOCALAPPDATA ?? '', 'ms-playwright'),
  ]
  return caches.some(
    (folder) => folder && existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('chromium')),
  )
}
