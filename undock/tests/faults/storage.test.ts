import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AbortMultipartUploadCommand, ListBucketsCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { randomFrom } from '../support/random.ts'
import { remount, startOnSmallDisk } from '../support/small-disk.ts'
import { end, endRunning, startUndock } from '../support/undock.ts'
import { ABSENT, digest, Model, SECRET_KEY, s3Of, Worker } from './storage-load.ts'

const KILLS = Number(process.env.FAULTS_KILLS ?? 100)
const SEED = Number(process.env.FAULTS_SEED ?? 1)
const CLIENTS = 4

const OFF = ['auth', 'edge_runtime', 'local_smtp', 'realtime'].map((name) => `[${name}]\nenabled = false\n`).join('')
const CONFIG = `${OFF}[storage.buckets.docs]\n[storage.buckets.other]\n`

let project: TestProject | undefined
afterEach(async () => {
  await endRunning()
  await project?.remove()
})

const urlOf = ({ ports }: TestProject) => `http://127.0.0.1:${ports.SUPABASE_API_PORT}`

test(`after ${KILLS} kills under load, no acknowledged object is missing or damaged and no file is left over`, async () => {
  project = await makeProject({ 'config.toml': CONFIG })
  const url = urlOf(project)
  const random = randomFrom(SEED)
  const model = new Model()
  const workers = Array.from(
    { length: CLIENTS },
    (_, client) => new Worker(client, model, randomFrom(SEED * 1000 + client)),
  )
  const acknowledged = () => workers.reduce((sum, worker) => sum + worker.acknowledged, 0)
  for (let kill = 0; kill < KILLS; kill++) {
    const undock = await startUndock(project)
    await check(project, model)
    let alive = true
    const load = workers.map((worker) => worker.run(url, () => alive))
    // The moment depends on the completed work, so a slow machine is killed in the middle of it, too.
    const enough = acknowledged() + Math.floor(random() * 15)
    while (acknowledged() < enough) await wait(5)
    await wait(random() * 100)
    alive = false
    await end(undock, 'SIGKILL')
    await Promise.all(load)
  }
  const undock = await startUndock(project)
  await check(project, model)
  expect(workers.flatMap(({ faults }) => faults)).toEqual([])
  expect(acknowledged()).toBeGreaterThan(KILLS)
  await abortAll(url)
  expect(await filesBelow(project, 'multipart/objects')).toBe(0)
  await end(undock, 'SIGTERM')
}, 3_600_000)

/** Checks that every object has a possible content and the disk contains nothing else. */
async function check(stack: TestProject, model: Model): Promise<void> {
  const url = urlOf(stack)
  // The S3 protocol cleans up its parts at its first use.
  const s3 = s3Of(url)
  await s3.send(new ListBucketsCommand({}))
  s3.destroy()
  let objects = 0
  for (const place of model.places()) {
    const response = await fetch(`${url}/storage/v1/object/authenticated/${place.bucket}/${place.key}`, {
      headers: { authorization: `Bearer ${SECRET_KEY}` },
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (response.ok) objects++
    const found = response.ok ? digest(bytes) : ABSENT
    expect({ ...place, found, allowed: [...model.of(place)] }).toMatchObject({
      allowed: expect.arrayContaining([found]),
    })
    model.set(place, new Set([found]))
  }
  const { contents, parts } = await rowsOf(stack)
  expect({ contents, objects }).toEqual({ contents: objects, objects })
  expect(await filesBelow(stack, 'objects')).toBe(contents)
  expect(await filesBelow(stack, 'multipart/objects')).toBe(parts)
  expect(await filesBelow(stack, 'tmp')).toBe(0)
}

async function rowsOf({ ports }: TestProject): Promise<{ contents: number; parts: number }> {
  const client = new pg.Client({
    connectionString: `postgresql://postgres:postgres@127.0.0.1:${ports.SUPABASE_DB_PORT}/postgres`,
  })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select (select count(*) from storage.objects)::int as contents,
        (select count(*) from storage.s3_multipart_uploads_parts)::int as parts`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}

async function filesBelow({ folder }: TestProject, part: string): Promise<number> {
  const path = join(folder, 'supabase', '.undock', 'storage', part)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

async function abortAll(url: string): Promise<void> {
  const s3 = s3Of(url)
  for (const Bucket of ['docs', 'other']) {
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }))
    for (const { Key, UploadId } of Uploads) await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
  s3.destroy()
}

test('reports a full disk and a read-only one, and keeps reading', async (context) => {
  project = await makeProject({ 'config.toml': CONFIG })
  const child = await startOnSmallDisk(project, 'storage', '6m')
  if (!child) return context.skip('no small file system can be mounted here')
  const stopped = once(child, 'exit')
  try {
    const files = createClient(urlOf(project), SECRET_KEY, { auth: { persistSession: false } }).storage.from('docs')
    const megabyte = Buffer.alloc(2 ** 20, 'x')
    expect((await files.upload('kept', megabyte)).error).toBeNull()
    const full = await files.upload('too big', Buffer.alloc(20 * 2 ** 20))
    expect(full.error).toMatchObject({
      statusCode: '507',
      message: 'No space is left on the disk that holds the stored files',
    })
    // The failed upload leaves no data that takes the space of one that fits.
    expect((await files.upload('fits', Buffer.alloc(3 * 2 ** 20))).error).toBeNull()
    await remount(project, 'ro')
    expect((await files.upload('new', megabyte)).error).toMatchObject({
      statusCode: '503',
      message: 'The folder that holds the stored files cannot be written',
    })
    expect((await files.download('kept')).data?.size).toBe(2 ** 20)
    const listed = await files.list()
    expect(listed.error).toBeNull()
    expect(listed.data?.map(({ name }) => name)).toEqual(['fits', 'kept'])
  } finally {
    child.kill('SIGKILL')
    await stopped
  }
})
