import { existsSync } from 'node:fs'
import type { LaunchOptions } from '@playwright/test'

/** Where a system has a Chromium for tests. The headless shell, which is what Playwright itself runs, has no windows: a test takes a
 *  third less processor time in it than in the whole browser. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const path = process.env.CHROMIUM_PATH ?? PATHS.find((each) => existsSync(each))

/** How tests launch Chromium: the one that CHROMIUM_PATH names, the system's, or the one that Playwright installs. */
export const CHROMIUM: LaunchOptions & { readonly args: string[] } = {
  ...(path ? { executablePath: path } : {}),
  // Without a UTF-8 locale Chromium cannot open files whose path has other letters than ASCII.
  env: { LC_ALL: 'C.UTF-8', ...process.env },
  // Inside a container, root has no sandbox.
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
}
