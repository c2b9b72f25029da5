import { z } from 'zod'
import { serviceClient } from '../_shared/clients.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'

const Body = z.object({ token: z.string().min(1).max(200) })
const Found = z.array(z.object({ storage_path: z.string(), file_name: z.string().nullable(), mime_type: z.string() }))

/** Seconds for which the signed address of a shared file is valid: enough to begin reading, too short to pass it on. */
const LASTS = 300

Deno.serve(
  jsonAction(async (body) => {
    const wish = Body.safeParse(body)
    if (!wish.success) throw new Refusal(400, 'Send { "token": "…" }.')
    const service = serviceClient()
    const { data } = await service.rpc('find_shared_file', { token: wish.data.token }).throwOnError()
    const [file] = Found.parse(data)
    if (!file) throw new Refusal(404, 'This link shows no file. It may have expired or been revoked.')
    const signed = await service.storage.from('documents').createSignedUrl(file.storage_path, LASTS)
    if (signed.error) throw signed.error
    return { url: signed.data.signedUrl, file_name: file.file_name, mime_type: file.mime_type }
  }),
)
