import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LogLine, openLogFiles, readLogLines } from './log-files.ts'

const folder = () => mkdtemp(join(tmpdir(), 'undock-logs-'))

test("a log has a line of JSON per event, with an error's cause", async () => {
  const path = await folder()
  const logs = openLogFiles(path, () => undefined)
  logs.logOf('rest').error('failed', new Error('outer', { cause: new Error('inner') }), { requestId: '1' })
  await logs.close()
  const line = JSON.parse(await readFile(join(path, 'rest.log'), 'utf8')) as LogLine
  expect(line).toMatchObject({ service: 'rest', level: 'error', message: 'failed', fields: { requestId: '1' } })
  expect(line.trace).toContain('caused by Error: inner')
  await rm(path, { recursive: true })
})

test('reports an unwritable log once and continues', async () => {
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
  expect(shown.find(({ level }) => level === 'warn')?.message).toContain("Couldn't write the log")
  await logs.close()
  await rm(path)
})

test("doesn't write to a log that is a link", async () => {
  const path = await folder()
  const target = join(path, 'target')
  await writeFile(target, 'kept')
  await symlink(target, join(path, 'rest.log'))
  const shown: LogLine[] = []
  const logs = openLogFiles(path, (line) => shown.push(line))
  logs.logOf('rest').info('one')
  await logs.close()
  expect(shown.at(-1)?.message).toContain("Couldn't write the log")
  expect(await readFile(target, 'utf8')).toBe('kept')
  await rm(path, { recursive: true })
})

test('without a folder, keeps the newest lines in memory, truncated', async () => {
  const logs = openLogFiles(null, () => undefined)
  const log = logs.logOf('rest')
  for (let n = 1; n <= 2_001; n++) log.info(`line ${n}`)
  log.info('x'.repeat(1_000_000))
  const lines = await logs.read('rest')
  expect(lines).toHaveLength(2_000)
  expect(lines[0]).toMatchObject({ service: 'rest', level: 'info', message: 'line 3' })
  expect(lines.at(-1)?.message).toHaveLength(2_000)
  expect(await logs.read('auth')).toEqual([])
  await logs.close()
})

test('skips an incomplete line, and reads one being written once complete', async () => {
  const path = await folder()
  const file = join(path, 'rest.log')
  const line = (message: string) => JSON.stringify({ service: 'rest', message })
  const whole = `${line('one')}\n{"service": "re${line('lost')}\n${line('zwölf')}\n`
  const half = line('three')
  await writeFile(file, whole + half.slice(0, 10))
  const first = await readLogLines(file)
  expect(first.lines.map(({ message }) => message)).toEqual(['one', 'zwölf'])
  expect(first.end).toBe(Buffer.byteLength(whole))
  await writeFile(file, `${whole}${half}\n`)
  expect((await readLogLines(file, first.end)).lines.map(({ message }) => message)).toEqual(['three'])
  await rm(path, { recursive: true })
})

test('keeps the last lines if there are no files', () => {
  const logs = openLogFiles(null, () => undefined)
  const heard: string[] = []
  const stop = logs.recent.follow(({ message }) => heard.push(message))
  for (let n = 1; n <= 2_001; n++) logs.logOf('rest').info(`line ${n}`)
  stop()
  logs.logOf('rest').info('unheard')
  expect(heard).toHaveLength(2_001)
  expect(logs.recent.since(0).map(({ message }) => message)).toHaveLength(2_000)
  expect(logs.recent.since(2_000).map(({ message }) => message)).toEqual(['line 2001', 'unheard'])
  expect(logs.recent.since(2_002)).toEqual([])
})
