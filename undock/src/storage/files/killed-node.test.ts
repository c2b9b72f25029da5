import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { startS3Store, type TestStore } from '../../testing/s3-store.ts'

const PROGRAM = fileURLToPath(new URL('../../testing/storage-node.ts', import.meta.url))
const MIB = 1024 * 1024
type Node = { readonly child: ChildProcess; readonly url: string; readonly key: string }

describe('nodes as separate processes', () => {
  let database: TestDatabase
  let store: TestStore
  const nodes: Node[] = []
  beforeAll(async () => {
    database = await openTestDatabase()
    store = await startS3Store()
  })
  afterAll(async () => {
    for (const { child } of nodes) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await store.close()
    await database.close()
  })

  async function start(): Promise<Node> {
    const options = JSON.stringify({ url: database.ownUrl, files: store.files })
    const child = spawn(process.execPath, [PROGRAM, options], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (!child.stdout) throw new Error('no output to read')
    const line = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line').then(([text]) => text),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`the node ended with ${code}`))),
    ])
    const node = { child, ...JSON.parse(String(line)) }
    nodes.push(node)
    return node
  }
  const headers = ({ key }: Node) => ({ 'tus-resumable': '1.0.0', authorization: `Bearer ${key}` })
  const encode = (text: string) => Buffer.from(text).toString('base64')
  async function begin(node: Node, name: string, size: number): Promise<string> {
    const created = await fetch(`${node.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers(node),
        'upload-length': String(size),
        'upload-metadata': `bucketName ${encode('docs')},objectName ${encode(name)}`,
      },
    })
    return new URL(created.headers.get('location') ?? '').pathname
  }
  function send(node: Node, path: string, offset: number, bytes: Uint8Array, length: number) {
    const sending = request(node.url + path, {
      method: 'PATCH',
      headers: {
        ...headers(node),
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
        'content-length': String(length),
      },
    })
    sending.on('error', () => undefined)
    sending.write(bytes)
    return sending
  }
  const offsetOf = async (node: Node, path: string) => {
    const head = await fetch(node.url + path, { method: 'HEAD', headers: headers(node) })
    expect(head.status).toBe(200)
    return Number(head.headers.get('upload-offset'))
  }
  const patch = async (node: Node, path: string, offset: number, bytes: Uint8Array) => {
    const answer = await fetch(node.url + path, {
      method: 'PATCH',
      headers: { ...headers(node), 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(bytes),
    })
    expect(answer.status).toBe(204)
  }
  const contentOf = async (node: Node, name: string) => {
    const { data } = await createClient(node.url, node.key).storage.from('docs').download(name)
    return digest(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))
  }
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const received = async (path: string) => {
    const { rows } = await database.db.query<{ received: string }>(
      statement(sql`select received from _undock.uploads where id = ${path.split('/').at(-1)}`),
    )
    return Number(rows[0]?.received)
  }

  test('a node killed while receiving loses no acknowledged byte, and another resumes the upload within 5 s', async () => {
    const [killed, other] = [await start(), await start()]
    const content = randomBytes(17 * MIB)
    const path = await begin(killed, 'killed.bin', content.length)
    await patch(killed, path, 0, content.subarray(0, 3 * MIB))
    send(killed, path, 3 * MIB, content.subarray(3 * MIB, 14 * MIB), content.length - 3 * MIB)
    await expect.poll(() => received(path), { timeout: 30_000, interval: 20 }).toBeGreaterThan(3 * MIB)
    killed.child.kill('SIGKILL')
    await once(killed.child, 'exit')
    const killedAt = Date.now()
    const offset = await offsetOf(other, path)
    expect(Date.now() - killedAt).toBeLessThan(8000)
    expect(offset).toBeGreaterThan(3 * MIB)
    await patch(other, path, offset, content.subarray(offset))
    expect(await contentOf(other, 'killed.bin')).toBe(digest(content))
  }, 120_000)

  test('a node stopped while receiving changes nothing when it resumes after another finished', async () => {
    const [stopped, other] = [await start(), nodes[1] ?? (await start())]
    const content = randomBytes(12 * MIB)
    const path = await begin(stopped, 'stopped.bin', content.length)
    const sending = send(stopped, path, 0, content.subarray(0, 7 * MIB), content.length)
    await expect.poll(() => received(path), { timeout: 30_000, interval: 20 }).toBeGreaterThan(0)
    stopped.child.kill('SIGSTOP')
    const offset = await offsetOf(other, path)
    await patch(other, path, offset, content.subarray(offset))
    stopped.child.kill('SIGCONT')
    sending.end(Buffer.alloc(5 * MIB))
    await wait(2000)
    expect(await contentOf(other, 'stopped.bin')).toBe(digest(content))
    expect(await offsetOf(stopped, path)).toBe(content.length)
    expect(await contentOf(stopped, 'stopped.bin')).toBe(digest(content))
    const id = path.split('/').at(-1) ?? ''
    expect((await store.keys()).filter((key) => key.startsWith(`tails/${id}`))).toEqual([])
  }, 120_000)
})
