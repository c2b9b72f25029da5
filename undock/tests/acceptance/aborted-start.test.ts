import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'

const UNDOCK = fileURLToPath(new URL('../../bin/undock.js', import.meta.url))

let project: TestProject
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "aborted"\n',
    'migrations/1_hangs.sql': 'select pg_sleep(3600);',
  })
})
afterAll(() => project.remove())

test.each([
  ['start', ['start', '--ports', 'free']],
  ['run', ['run', '--', process.execPath, '--version']],
])('the first Ctrl-C ends `undock %s` while a migration hangs', async (_name, words) => {
  const child = spawn(process.execPath, [UNDOCK, ...words], {
    cwd: project.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  let said = ''
  let isAsked = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (isAsked || !said.includes('1_hangs.sql')) return
    isAsked = true
    child.kill('SIGINT')
  })
  const [code] = await exited
  expect([code, said]).toEqual([1, expect.stringContaining('Stopped before it was ready.')])
})
