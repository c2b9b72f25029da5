import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { userCacheFolder } from '../../undock/src/kernel/cache-folder.ts'

/** A release of a service's upstream project. */
export type Upstream = { readonly repository: string; readonly tag: string }

/** The folder with an upstream release: the one that was named, or a clone in the user's cache folder.
 *  @param named The path of a checkout that is there already.
 *  @throws when it cannot be cloned. */
export async function checkout({ repository, tag }: Upstream, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const folder = join(userCacheFolder(process.env), 'conformance', `${repository.replace('/', '-')}-${tag}`)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const source = `https://github.com/${repository}.git`
  const { status } = spawnSync('git', ['clone', '--depth', '1', '--branch', tag, source, folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${source} could not be cloned. Name a checkout of ${tag} with --source DIR.`)
  return folder
}
