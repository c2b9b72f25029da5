// Tells whether a build is up to date with its sources. Runs on any Node that can start `npm start`.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} folder where the build writes, which it empties first
 * @param {{ root: string, paths: string[], settings?: string }} sources files and folders below `root` where they
 *   are there, and what else the result depends on; a folder named `dist` in them is left out
 * @returns {{ isFresh: boolean, keep: () => void }} `keep` is called after the build
 */
export function buildStamp(folder, { root, paths, settings = '' }) {
  const hash = createHash('sha256').update(settings)
  for (const path of paths.filter((path) => existsSync(join(root, path))))
    for (const name of filesBelow(join(root, path)))
      hash.update(`\0${path}/${name}\0`).update(readFileSync(join(root, path, name)))
  const built = hash.digest('hex')
  const stamp = join(folder, '.built')
  return {
    isFresh: existsSync(stamp) && readFileSync(stamp, 'utf8') === built,
    keep: () => writeFileSync(stamp, built),
  }
}

function filesBelow(path) {
  if (statSync(path).isFile()) return ['']
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('dist') && statSync(join(path, name)).isFile())
    .sort()
}
