import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LogLine, openLogFiles } from './log-files.ts'

const folder = () => mkdtemp(join(tmpdir(), 'undock-logs-'))

test('a log has a line of JSON for each event, with the cause of an error', async () => {
  const path = await folder()
  const logs = openLogFiles(path, () => undefined)
  logs.logOf('rest').error('failed', new Error('outer', { cause: new Error('inner') }), { requestId: '1' })
  await logs.close()
  const line = JSON.parse(await readFile(join(path, 'rest.log'), 'utf8')) as LogLine
  expect(line).toMatchObject({ service: 'rest', level: 'error', message: 'failed', fields: { requestId: '1' } })
  expect(line.trace).toContain('caused by Error: inner')
  await rm(path, { recursive: true })
})

test('a log that cannot be written is reported once and ends nothing', async () => {
  const path = await folder()
  await rm(path, { recursive: true })
  const shown: LogLine[] = []
  const logs = openLogFiles(path, (line) => shown.push(line))
  await rm(path, { recursive: true })
  await writeFile(path, 'a file where the folder was')
  const log = logs.logOf('rest')
  log.info('one')
  log.info('two')
  await expect.poll(() => shown.filter(({ level }) => level === 'warn')).toHaveLength(1)
  expect(shown.at(-1)?.message).toContain('The log cannot be written')
  await logs.close()
  await rm(path)
})

test('without a folder, the newest lines stay in memory, none of them long', async () => {
  const logs = openLogFiles(null, () => undefined)
  const log = logs.logOf('rest')
  for (let n = 1; n <= 1_001; n++) log.info(`line ${n}`)
  log.info('x'.repeat(1_000_000))
  const lines = await logs.read('rest')
  expect(lines).toHaveLength(1_000)
  expect(lines[0]).toMatchObject({ service: 'rest', level: 'info', message: 'line 3' })
  expect(lines.at(-1)?.message).toHaveLength(2_000)
  expect(await logs.read('auth')).toEqual([])
  await logs.close()
})
