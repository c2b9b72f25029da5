import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import { sha256 } from '../_shared/sha256.ts'
import type { Contents, LibraryFile } from './contents.ts'
import type { Mail } from './mail.ts'

const Verdict = z.enum(['open', 'off', 'owner', 'sender', 'known', 'busy', 'unknown'])
export type Verdict = z.infer<typeof Verdict>
const Found = z.object({ id: z.guid(), library: z.guid(), verdict: Verdict }).nullable()
export type MailAddress = NonNullable<z.infer<typeof Found>>

/** Seconds of browser caching: a path's content never changes. */
const FOR_GOOD = '31536000'

export type Libraries = ReturnType<typeof openLibraries>

export function openLibraries(service: Client) {
  return {
    /** Returns the mail address with this secret and the verdict on a mail to it, or null. */
    findAddress: async (secret: string, mail: Mail): Promise<MailAddress | null> => {
      const { data } = await service
        .rpc('find_mail_address', { secret, sender: mail.sender.address, message: mail.hash })
        .throwOnError()
      return Found.parse(data)
    },
    addMail: (address: MailAddress, mail: Mail, contents: Contents) => addMail(service, address, mail, contents),
    /** Records a rejected mail for the library's editors. */
    keepRefusal: async (address: MailAddress, mail: Mail, reason: string): Promise<void> => {
      const refusal = { address: address.id, message: mail.hash, mail: aboutOf(mail), reason }
      await service.rpc('refuse_mail', refusal).throwOnError()
    },
  }
}

/** Stores pictures and files, then adds all documents in one step. If a run breaks off before, the function `purge`
 *  deletes its stored files.
 *  @returns the verdict, which may have changed in the meantime. */
async function addMail(
  service: Client,
  { id, library }: MailAddress,
  mail: Mail,
  { note, pictures, files }: Contents,
): Promise<Verdict> {
  for (const { name, type, bytes } of note ? pictures : []) {
    await store(service, 'pictures', `${library}/${note?.id}/${name}`, bytes, type)
  }
  const added = []
  for (const file of files) {
    const path = `${library}/${file.id}/${crypto.randomUUID()}/file${endingOf(file)}`
    // Don't trust the type that the mail claims: the reader detects it from the content.
    await store(service, 'documents', path, file.bytes, 'application/octet-stream')
    const { id, name: file_name, title, attachments } = file
    added.push({ id, path, file_name, title, content_hash: sha256(file.bytes), attachments })
  }
  const { data } = await service
    .rpc('add_mail', { address: id, message: mail.hash, mail: { ...aboutOf(mail), note, files: added } })
    .throwOnError()
  return Verdict.parse(data)
}

const aboutOf = ({ sender, sentAt, subject }: Mail) => ({
  sender_name: sender.name,
  sender_address: sender.address,
  sent_at: sentAt,
  subject,
})

const endingOf = ({ name }: LibraryFile): string => /\.[a-z0-9]{1,10}$/.exec(name.toLowerCase())?.[0] ?? ''

async function store(service: Client, bucket: string, path: string, bytes: Uint8Array, contentType: string) {
  const { error } = await service.storage.from(bucket).upload(path, bytes, { contentType, cacheControl: FOR_GOOD })
  if (error) throw error
}
