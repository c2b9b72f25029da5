import { existsSync } from 'node:fs'

const SYSTEM_CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** How tests start Chromium: the system's, where there is one, else the one that Playwright has downloaded. */
export const CHROMIUM = {
  ...(existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {}),
  // Inside a container, root has no sandbox.
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
}
