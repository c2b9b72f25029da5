import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../kernel/sql.ts'
import { ALICE, BOB, type StorageServer, startStorageServer } from '../testing/storage-server.ts'

// Users own the folder named after them; other permissions are explained at their policies.
const POLICIES = `
  insert into storage.buckets (id, name, public) values ('docs', 'docs', false), ('open', 'open', true), ('box', 'box', false), ('once', 'once', false);
  create policy "see" on storage.objects for select to authenticated using (bucket_id = 'once');
  -- Counts its decisions, also in transactions that end in a rollback.
  create sequence decisions;
  grant usage on sequence decisions to authenticated;
  select nextval('decisions');
  create policy "add" on storage.objects for insert to authenticated with check (bucket_id = 'once' and nextval('decisions') > 0);
  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'docs' and (storage.foldername(name))[1] = (select auth.uid()::text))
    with check (bucket_id = 'docs' and (storage.foldername(name))[1] = (select auth.uid()::text));
  -- A drop box: uploads cannot be read, replaced or removed.
  create policy "drop" on storage.objects for insert to anon, authenticated
    with check (bucket_id = 'box' and metadata ->> 'mimetype' = 'text/plain' and storage.allow_only_operation('object.upload'));
  create policy "members see the bucket" on storage.buckets for select to authenticated using (id = 'docs');
`

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({ script: POLICIES })
})
afterAll(() => harness.close())

const denied = { status: 400, statusCode: '403', message: 'new row violates row-level security policy' }
const hidden = { statusCode: '404', message: 'Object not found' }

test('two users and a visitor can access only what the policies allow', async () => {
  const alice = (await harness.as(ALICE)).storage.from('docs')
  const bob = (await harness.as(BOB)).storage.from('docs')
  const anon = harness.anon.storage.from('docs')
  const mine = `${ALICE}/diary.txt`

  expect((await alice.upload(mine, 'dear diary', { contentType: 'text/plain' })).error).toBeNull()
  const { rows } = await harness.db.query(
    statement(
      sql`select owner, owner_id, (metadata ->> 'size')::int as size from storage.objects where name = ${mine}`,
    ),
  )
  expect(rows).toEqual([{ owner: ALICE, owner_id: ALICE, size: 10 }])

  expect(await (await alice.download(mine)).data?.text()).toBe('dear diary')
  expect((await alice.list(ALICE)).data?.map(({ name }) => name)).toEqual(['diary.txt'])

  for (const other of [bob, anon]) {
    expect((await other.upload(`${ALICE}/planted.txt`, 'x')).error).toMatchObject(denied)
    expect((await other.upload(mine, 'x', { upsert: true })).error).toMatchObject(denied)
    expect((await other.update(mine, 'x')).error).toMatchObject(denied)
    expect((await other.download(mine)).error).toMatchObject({ status: 400 })
    expect((await other.info(mine)).error).toMatchObject(hidden)
    expect((await other.exists(mine)).data).toBe(false)
    expect((await other.list(ALICE)).data).toEqual([])
    expect((await other.listV2({ prefix: ALICE })).data?.objects).toEqual([])
    expect((await other.createSignedUrl(mine, 60)).error).toMatchObject(hidden)
    expect((await other.createSignedUrls([mine], 60)).data).toEqual([
      {
        error: 'Either the object does not exist or you do not have access to it',
        path: mine,
        signedURL: null,
        signedUrl: null,
      },
    ])
    expect((await other.createSignedUploadUrl(`${ALICE}/x.txt`)).error).toMatchObject(denied)
    expect((await other.copy(mine, `${BOB}/stolen.txt`)).error).toMatchObject(hidden)
    expect((await other.move(mine, `${BOB}/stolen.txt`)).error).toMatchObject(hidden)
    expect((await other.remove([mine])).data).toEqual([])
    const one = await harness.fetch(`/object/docs/${mine}`, { method: 'DELETE' }, await harness.tokenOf(BOB))
    expect(await one.json()).toMatchObject({ statusCode: '403', error: 'Unauthorized', code: 'AccessDenied' })
  }
  // The update's check refuses moving an object out of your own folder.
  expect((await alice.move(mine, `${BOB}/gift.txt`)).error).toMatchObject(denied)
  expect((await alice.copy(mine, `${BOB}/gift.txt`)).error).toMatchObject(denied)
  expect(await (await alice.download(mine)).data?.text()).toBe('dear diary')
  expect((await alice.remove([mine])).data?.map(({ name }) => name)).toEqual([mine])
})

test('policies apply to buckets too, and only the service can empty one', async () => {
  const alice = await harness.as(ALICE)
  expect((await alice.storage.listBuckets()).data?.map(({ id }) => id)).toEqual(['docs'])
  expect((await harness.anon.storage.listBuckets()).data).toEqual([])
  expect((await alice.storage.getBucket('box')).error).toMatchObject({ statusCode: '404', message: 'Bucket not found' })
  expect((await alice.storage.createBucket('mine')).error).toMatchObject(denied)
  expect((await alice.storage.updateBucket('docs', { public: true })).error).toMatchObject({ statusCode: '404' })
  expect((await alice.storage.deleteBucket('open')).error).toMatchObject({ statusCode: '404' })
  const emptied = await alice.storage.emptyBucket('docs')
  expect(emptied.error).toMatchObject({ status: 403, message: 'Access denied: Invalid role' })
})

test('policies see the content type and operation before any byte is stored', async () => {
  const box = harness.anon.storage.from('box')
  expect((await box.upload('a.txt', 'x', { contentType: 'text/plain' })).error).toBeNull()
  expect((await box.upload('a.png', 'x', { contentType: 'image/png' })).error).toMatchObject(denied)
  expect((await box.createSignedUploadUrl('b.txt')).error).toMatchObject(denied)
  expect((await box.download('a.txt')).error).toMatchObject({ status: 400 })
})

const decisions = async () =>
  Number((await harness.db.query(statement(sql`select last_value from decisions`))).rows[0]?.last_value)

test.each(['a body', 'a resumable upload'])('policies decide again once %s has arrived', async (way) => {
  const token = await harness.tokenOf(BOB)
  const key = `${way.replaceAll(' ', '-')}.txt`
  const headers = { 'x-upsert': 'true', 'tus-resumable': '1.0.0' }
  let target: [path: string, init: RequestInit] = [`/object/once/${key}`, { method: 'POST', headers }]
  if (way !== 'a body') {
    const named = { 'upload-length': '13', 'upload-metadata': `bucketName ${btoa('once')},objectName ${btoa(key)}` }
    const init = { method: 'POST', headers: { ...headers, ...named } }
    const location = (await harness.fetch('/upload/resumable', init, token)).headers.get('location') ?? ''
    const rest = { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    target = [new URL(location).pathname.replace('/storage/v1', ''), { method: 'PATCH', headers: rest }]
  }
  const { readable, writable } = new TransformStream<Uint8Array>()
  const writer = writable.getWriter()
  void writer.write(Buffer.from('planted '))
  const before = await decisions()
  const options = { body: readable, duplex: 'half' as const }
  const uploading = harness.fetch(target[0], { ...target[1], ...options }, token)
  await expect.poll(decisions, { timeout: 20_000 }).toBeGreaterThan(before)
  const files = harness.service.storage.from('once')
  expect((await files.upload(key, 'kept', { contentType: 'text/plain' })).error).toBeNull()
  await writer.write(Buffer.from('later'))
  await writer.close()
  expect(await (await uploading).text()).toContain('new row violates row-level security policy')
  await harness.fetch(target[0], { method: 'HEAD', headers }, token)
  expect(await (await files.download(key)).data?.text()).toBe('kept')
})

test('anyone can read a public bucket, and no one can write to it', async () => {
  await harness.service.storage.from('open').upload('logo.txt', 'logo', { contentType: 'text/plain' })
  const { publicUrl } = harness.anon.storage.from('open').getPublicUrl('logo.txt').data
  const response = await fetch(publicUrl)
  expect([response.status, await response.text()]).toEqual([200, 'logo'])
  const bare = await harness.fetch('/object/open/logo.txt')
  expect([bare.status, await bare.text()]).toEqual([200, 'logo'])
  const hiddenBucket = await harness.fetch('/object/docs/logo.txt')
  expect(await hiddenBucket.json()).toMatchObject({ statusCode: '404', error: 'Bucket not found' })
  const asPublic = await harness.fetch('/object/public/docs/logo.txt')
  expect(await asPublic.json()).toMatchObject({ statusCode: '404', error: 'Bucket not found', code: 'NoSuchBucket' })
  expect((await harness.anon.storage.from('open').upload('x.txt', 'x')).error).toMatchObject(denied)
})

test("rows can't be deleted without the service", async () => {
  const row = statement(sql`delete from storage.objects`)
  await expect(harness.db.query(row)).rejects.toMatchObject({ code: '42501' })
})
