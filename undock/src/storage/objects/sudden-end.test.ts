import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/database.ts'

const PROGRAM = fileURLToPath(new URL('../../testing/storage-node.ts', import.meta.url))
const ROUNDS = 2
const CLIENTS = 4
const KEYS = 12

type Running = { child: ChildProcess; url: string; key: string }

async function start(url: string, folder: string): Promise<Running> {
  const options = JSON.stringify({ url, files: { kind: 'folder', folder: join(folder, 'files') } })
  const child = spawn(process.execPath, [PROGRAM, options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (!child.stdout) throw new Error('no output to read')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, ...JSON.parse(String(line)) }
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('killed at any moment under load: acknowledged objects are complete, and nothing else takes space', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-kill-'))
  const database = await openTestDatabase()
  /** Possible contents per key: the last acknowledged one and unacknowledged ones. */
  const possible = new Map<string, Set<string>>()
  const started: ChildProcess[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const { child, url, key } = await start(database.ownUrl, folder)
      started.push(child)
      const files = createClient(url, key, { auth: { persistSession: false } }).storage.from('docs')
      let alive = true
      let acknowledged = 0
      const load = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let turn = 0; alive; turn++) {
          const name = `${client}/${turn % KEYS}.bin`
          const content = randomBytes(1000 + ((turn * 37_501) % 300_000))
          const before = possible.get(name) ?? new Set(['absent'])
          possible.set(name, new Set([...before, digest(content)]))
          const { error } = await files.upload(name, content, { upsert: true })
          if (error) continue
          possible.set(name, new Set([digest(content)]))
          acknowledged++
        }
      })
      await expect.poll(() => acknowledged, { timeout: 30_000, interval: 7 }).toBeGreaterThan(20 + round * 13)
      child.kill('SIGKILL')
      await once(child, 'exit')
      alive = false
      await Promise.all(load)
    }

    const { child, url, key } = await start(database.ownUrl, folder)
    started.push(child)
    const files = createClient(url, key, { auth: { persistSession: false } }).storage.from('docs')
    let objects = 0
    for (const [name, contents] of possible) {
      const { data } = await files.download(name)
      const found = data ? digest(new Uint8Array(await data.arrayBuffer())) : 'absent'
      if (data) objects++
      expect([name, contents.has(found)]).toEqual([name, true])
      possible.set(name, new Set([found]))
    }
    const onDisk = await readdir(join(folder, 'files', 'objects'), { recursive: true, withFileTypes: true })
    expect(onDisk.filter((entry) => entry.isFile())).toHaveLength(objects)
    expect(objects).toBeGreaterThan(0)
  } finally {
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)
