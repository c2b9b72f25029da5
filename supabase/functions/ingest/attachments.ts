import { MAX_FILE } from '../_shared/facts.ts'
import { OTHER_KIND, stemOf } from '../_shared/file-kinds.ts'
import { MAX_ATTACHMENTS } from '../_shared/mail/parts.ts'
import { sha256 } from '../_shared/sha256.ts'
import type { Attachment, Queue, Work } from './queue.ts'
import type { Versions } from './versions.ts'

/** Seconds of browser caching: a path's content never changes. */
const FOR_GOOD = '31536000'

type Attached = { readonly name: string; readonly bytes: Uint8Array }

/** Turns a mail's attachments into documents when it's read for the first time.
 *  @returns their document ids in order; null for one that isn't kept. */
export async function addAttachments(
  work: Work,
  version: string,
  attached: readonly Attached[],
  { queue, versions }: { readonly queue: Queue; readonly versions: Versions },
): Promise<(string | null)[]> {
  const files: Attachment[] = []
  for (const { name, bytes } of attached.slice(0, MAX_ATTACHMENTS)) {
    const content_hash = sha256(bytes)
    const id = attachmentId(work.document_id, content_hash)
    const isTaken = files.length < work.attachments_left && bytes.length > 0 && bytes.length <= MAX_FILE
    const path = `${work.library_id}/${id}/${crypto.randomUUID()}/file${storedEnding(name)}`
    if (isTaken) {
      // Don't trust the type that the mail claims: the reader detects it from the content.
      const options = { contentType: OTHER_KIND.mediaType, cacheControl: FOR_GOOD }
      await versions.upload(path, new Blob([new Uint8Array(bytes)]), options)
      // Many attachments take longer than a run may go without a report.
      await queue.report(work.run, 'extracting', 5 + (40 * files.length) / attached.length)
    }
    files.push({ id, path: isTaken ? path : null, file_name: name, title: stemOf(name), content_hash })
  }
  if (files.length === 0) return []
  const documents = await queue.addAttachments(work.run, version, files)
  return documents.map((id) => id && `/l/${work.library_id}/d/${id}`)
}

/** Returns a stable id (UUID version 8) for an attachment, however often the mail is read. */
function attachmentId(mail: string, hash: string): string {
  const digits = sha256(`${mail} ${hash}`)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

const storedEnding = (name: string): string => /\.[a-z0-9]{1,10}$/.exec(name.toLowerCase())?.[0] ?? ''
