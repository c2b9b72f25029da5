import { existsSync } from 'node:fs'
import type { LaunchOptions } from '@playwright/test'

/** Where systems install a Chromium for tests. The headless shell, which Playwright itself uses, takes a third less processor time
 *  than the whole browser. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const path = process.env.CHROMIUM_PATH ?? PATHS.find((each) => existsSync(each))

/** How tests launch Chromium: CHROMIUM_PATH, else the system's, else Playwright's. */
export const CHROMIUM: LaunchOptions & { readonly args: string[] } = {
  ...(path ? { executablePath: path } : {}),
  // Without a UTF-8 locale, Chromium can't open files with non-ASCII paths.
  env: { LC_ALL: 'C.UTF-8', ...process.env },
  // Root has no sandbox inside a container.
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
}
