import { z } from 'zod'
import { type Client, serviceClient } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { inputOf, jsonAction } from '../_shared/http.ts'

const MAX_PICTURES = 100
const Body = z.object({
  token: z.string().min(1).max(200),
  /** Returns the readable copy instead of the file. */
  copy: z.boolean().default(false),
  /** For a note: returns the addresses of these pictures instead of a file's. */
  pictures: z.array(z.string().max(60)).max(MAX_PICTURES).optional(),
})

/** Seconds for which a signed address is valid: enough to start reading, too short to share. */
const LASTS = 300

Deno.serve(
  jsonAction(async (body) => {
    const usage = `Send { "token": "…" }, for the readable copy with "copy": true, for a note with "pictures": ["…"], at most ${MAX_PICTURES}.`
    const { token, copy, pictures } = inputOf(Body, body, usage)
    const service = serviceClient()
    return pictures ? { pictures: await signPictures(service, token, pictures) } : await signFile(service, token, copy)
  }),
)

async function signFile(service: Client, token: string, copy: boolean) {
  const { data } = await service.rpc('find_shared_file', { token }).throwOnError()
  const path = copy ? data[0]?.rendition_path : data[0]?.storage_path
  if (!path) throw refusal('share_link_invalid')
  const signed = await service.storage.from('documents').createSignedUrl(path, LASTS)
  if (signed.error) throw signed.error
  return { url: signed.data.signedUrl }
}

/** Signs the addresses of pictures that the shared note shows. Others, and missing ones, are left out. */
async function signPictures(service: Client, token: string, names: string[]) {
  const { data: paths } = await service.rpc('find_shared_pictures', { token, names }).throwOnError()
  if (paths.length === 0) return []
  const signed = await service.storage.from('pictures').createSignedUrls(paths, LASTS)
  if (signed.error) throw signed.error
  return signed.data.flatMap(({ path, signedUrl }) =>
    path && signedUrl ? [{ name: path.slice(path.lastIndexOf('/') + 1), url: signedUrl }] : [],
  )
}
