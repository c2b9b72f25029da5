import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { fetchPackage } from '../platform/fetched-package.ts'

/** The version that undock is tested with. */
export const DENO_VERSION = '2.9.6'

/** Returns the path of Deno's binary: from the project's npm package `deno`, else downloaded once per machine. It isn't
 *  installed with undock because it's 90 MB and many projects have no functions.
 *  @param tell Called before the download.
 *  @throws {FetchError} */
export async function provideDeno(tell: () => void): Promise<string> {
  const own = createRequire(import.meta.url)
  try {
    return binaryOf(own(INSTALLER))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
  }
  const modules = await fetchPackage(`deno@${DENO_VERSION}`, tell)
  return binaryOf(createRequire(join(modules, 'undock'))(INSTALLER))
}

const INSTALLER = 'deno/install_api.cjs'

/** The package contains the binary or assembles it on first use. */
const binaryOf = (installer: unknown): string =>
  z
    .object({ runInstall: z.function({ output: z.string() }) })
    .parse(installer)
    .runInstall()
