import { deepStrictEqual as equal, match, notStrictEqual } from 'node:assert/strict'
import { addAttachments } from './attachments.ts'
import type { Attachment, Queue, Work } from './queue.ts'
import type { Versions } from './versions.ts'

const WORK: Work = {
  run: 'run',
  document_id: 'mail',
  library_id: 'library',
  version_id: 'version',
  kind: 'file',
  url: null,
  title: 'Lamps',
  storage_path: 'library/mail/x/file.eml',
  body: null,
  file_name: 'lamps.eml',
  created_by: 'ada',
  refetch: false,
  attachments_left: 500,
  pages_read: 0,
  reading: null,
}
const LAMP = { name: 'lamp.pdf', bytes: new TextEncoder().encode('%PDF-1.4') }
const file = (name: string, content = name) => ({ name, bytes: new TextEncoder().encode(content) })

async function kept(attached: readonly { name: string; bytes: Uint8Array }[], work: Partial<Work> = {}) {
  const uploads: string[] = []
  let told: readonly Attachment[] = []
  const queue: Partial<Queue> = {
    report: async () => {},
    addAttachments: async (_run, _version, files) => {
      told = files
      return files.map(({ path, id }) => path && id)
    },
  }
  const versions: Partial<Versions> = { upload: async (path) => uploads[uploads.push(path) - 1] ?? path }
  const deps = { queue: queue as Queue, versions: versions as Versions }
  const addresses = await addAttachments({ ...WORK, ...work }, 'version', attached, deps)
  return { addresses, uploads, told }
}

Deno.test('an attachment has a stable id per email and content', async () => {
  const { addresses, uploads, told } = await kept([LAMP])
  const id = told[0]?.id ?? ''
  match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  match(uploads.join(), new RegExp(`^library/${id}/[0-9a-f-]{36}/file\\.pdf$`))
  equal(
    told.map(({ path, file_name, title, content_hash }) => [path, file_name, title, content_hash.length]),
    [[uploads[0], 'lamp.pdf', 'lamp', 64]],
  )
  equal(addresses, [`/l/library/d/${id}`])

  equal((await kept([LAMP])).told[0]?.id, id)
  notStrictEqual((await kept([LAMP], { document_id: 'other' })).told[0]?.id, id)
  notStrictEqual((await kept([file('lamp.pdf', '%PDF-1.5')])).told[0]?.id, id)
})

Deno.test('attachments of an email that was read before are not stored again', async () => {
  const { uploads, told, addresses } = await kept([LAMP], { attachments_left: 0 })
  equal([uploads, told.map(({ path }) => path), addresses], [[], [null], [null]])
})

Deno.test('at most 50 attachments become documents, fewer in nested emails, and empty ones are skipped', async () => {
  const many = Array.from({ length: 60 }, (_, index) => file(`${index}.txt`))
  equal((await kept(many)).uploads.length, 50)
  equal((await kept(many, { attachments_left: 3 })).uploads.length, 3)
  equal(
    (await kept([file('nothing.txt', ''), LAMP])).told.map(({ path }) => path !== null),
    [false, true],
  )
})
