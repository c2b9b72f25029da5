import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { COMMAND, PACKAGES, UNDOCK } from '../support/paths.ts'
import { freePort } from '../support/project.ts'

/** An empty guide folder inside a folder with a project's packages. */
type Place = { readonly root: string; readonly folder: string; readonly env: NodeJS.ProcessEnv }

let place: Place

afterEach(async () => {
  for (const { workdir, name } of backendsOf(place))
    spawnSync(process.execPath, [COMMAND, 'stop', '--workdir', workdir, ...(name ? ['--name', name] : [])], place)
  await rm(place.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

test.each(globSync('website/guide/*.md', { cwd: UNDOCK }).toSorted())('every command of %s works', async (guide) => {
  place = await makePlace()
  const script = scriptOf(readFileSync(join(UNDOCK, guide), 'utf8'))
  const shell = spawn('bash', ['-c', script], { cwd: place.folder, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const [code] = await once(shell, 'close')
  expect(code, said).toBe(0)
  for (const words of EXPECTED[basename(guide, '.md')] ?? []) expect(said).toContain(words)
})

/** Expected results of some guides, in addition to successful commands. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  start: ['[{"title":', 'no select privilege', 'Stopped.'],
  tests: ['1 passed'],
  agents: ['shop-tags', 'AGENTS.md'],
  'production-data': ['public.todos.title'],
}

test('few blocks are skipped, each with a reason', () => {
  const all = globSync('website/guide/*.md', { cwd: UNDOCK }).flatMap((guide) =>
    fencesOf(readFileSync(join(UNDOCK, guide), 'utf8')),
  )
  const leftOut = all.filter(({ info }) => info.startsWith('sh not run'))
  expect(all.filter(({ info }) => info === 'sh').length).toBeGreaterThan(20)
  expect(leftOut.length).toBeLessThanOrEqual(3)
  for (const { info } of leftOut) expect(info).toMatch(/^sh not run: \w+/)
})

type Fence = { readonly info: string; readonly text: string }

const fencesOf = (page: string): Fence[] =>
  [...page.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, info = '', text = '']) => ({ info, text }))

/** A page's blocks as one script, so the folder and variables of a block apply to the next one. A block whose language is followed
 *  by `[PATH]` is a project file. */
function scriptOf(page: string): string {
  const steps = fencesOf(page).flatMap(({ info, text }, index) => {
    const [, path] = /^\w+ \[(.+)\]$/.exec(info) ?? []
    if (path !== undefined) return [`cat > '${path}' <<'FILE_${index}'\n${text}FILE_${index}`]
    return info === 'sh' ? [`set -x\n${text}{ set +x; } 2> /dev/null`] : []
  })
  return ['set -euo pipefail', ...steps].join('\n')
}

async function makePlace(): Promise<Place> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'undock guide ')))
  chmodSync(root, 0o755)
  const [folder, bin] = [join(root, 'empty'), join(root, 'bin')]
  for (const one of [folder, bin]) mkdirSync(one)
  symlinkSync(PACKAGES, join(root, 'node_modules'))
  // The repository's packages instead of those npx would download.
  const npx = `#!/bin/sh\n[ "$1" = undock ] || exec '${PACKAGES}/.bin/'"$@"\nshift\nexec '${process.execPath}' '${COMMAND}' "$@"\n`
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 })
  const git = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_COMMITTER_NAME: 'Ada' }
  return {
    root,
    folder,
    env: {
      ...process.env,
      ...git,
      GIT_COMMITTER_EMAIL: 'ada@example.com',
      PATH: [bin, process.env.PATH].join(delimiter),
      SUPABASE_API_PORT: String(await freePort()),
      SUPABASE_DB_PORT: String(await freePort()),
      SUPABASE_STUDIO_PORT: String(await freePort()),
      SUPABASE_LOCAL_SMTP_PORT: String(await freePort()),
    },
  }
}

/** Backends left running by a guide, or a failed guide. */
function backendsOf({ root, env }: Place): { workdir: string; name: string | null }[] {
  const { stdout } = spawnSync(process.execPath, [COMMAND, 'list', '-o', 'json'], { env, encoding: 'utf8' })
  const all: { workdir: string; name: string | null }[] = JSON.parse(stdout)
  return all.filter(({ workdir }) => workdir.startsWith(root))
}
