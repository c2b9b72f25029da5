import { Buffer } from 'node:buffer'
import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import { Refusal, refusal, Unreadable } from '../_shared/errors.ts'
import { type Content, sniff } from '../_shared/extraction/sniff.ts'
import { MAX_LENGTH } from '../_shared/facts.ts'
import { endingOf, FILE_KINDS, kindOfMediaType, OTHER_KIND, stemOf } from '../_shared/file-kinds.ts'
import { jsonOf, limitedBytes } from '../_shared/http.ts'
import { sha256 } from '../_shared/sha256.ts'

/** Control characters, line separators and bidi controls, which could disguise a file name. */
const MISLEADING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu
/** Seconds of browser caching: a path's content never changes. */
const FOR_GOOD = '31536000'

const Token = z.string().regex(/^[\w-]{1,100}$/)
const Holder = z.object({ token: Token })
const line = (longest: number) =>
  z
    .string()
    .max(longest)
    .transform((text) => text.replaceAll(MISLEADING, ' ').trim().toWellFormed())
const About = z.object({
  name: z.string().min(1).max(1000),
  sender: line(200).pipe(z.string().min(1)),
  address: line(320).default(''),
  message: z.string().max(1000).default(''),
})
const Open = z.object({
  verdict: z.literal('open'),
  id: z.guid(),
  library: z.guid(),
  title: z.string(),
  words: z.string(),
  expires_at: z.string(),
  left: z.number(),
  largest_bytes: z.number(),
  allowed_types: z.array(z.string()).nullable(),
})
const Found = z.union([Open, z.object({ verdict: z.literal('busy') })]).nullable()
type OpenRequest = z.infer<typeof Open>

/** Returns what the page behind a link shows, without revealing anything about the library. */
export async function describeRequest(service: Client, request: Request) {
  const { data } = Holder.safeParse(await jsonOf(request))
  const { id, library, verdict, ...shown } = await find(service, data?.token ?? '', request, false)
  return shown
}

/** Stores a file for approval. Validates the link before reading the body, so that guessing reveals nothing. */
export async function receiveFile(service: Client, request: Request) {
  const described = describedIn(request.headers.get('X-File') ?? '')
  const open = await find(service, Holder.safeParse(described).data?.token ?? '', request, true)
  const { data: about } = About.safeParse(described)
  if (!about)
    throw refusal('request_invalid', { usage: 'X-File is { token, name, sender, address, message } in base64.' })
  const bytes = await limitedBytes(request.body, open.largest_bytes)
  if (!bytes) throw refusal('received_file_too_large', { size: Math.round(open.largest_bytes / 104_857.6) / 10 })
  const name = safeName(about.name)
  const type = typeOf(await recognized(bytes, name))
  if (open.allowed_types && !open.allowed_types.includes(type)) throw refusal('received_file_type')
  await keep(service, open, about, name, bytes)
  return { name }
}

async function find(service: Client, token: string, request: Request, isSending: boolean): Promise<OpenRequest> {
  const sender = request.headers.get('X-Forwarded-For')?.split(',')[0]?.trim() ?? ''
  const { data } = await service.rpc('find_file_request', { token, sender, is_sending: isSending }).throwOnError()
  const found = Found.parse(data)
  if (!found) throw refusal('file_link_invalid')
  if (found.verdict === 'busy') throw refusal('file_request_busy')
  return found
}

function describedIn(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString())
  } catch {
    return null
  }
}

/** Returns a file name without a path. It's never part of a storage address. */
function safeName(name: string): string {
  const plain = name
    .replaceAll(MISLEADING, ' ')
    .replaceAll(/[/\\]/g, '-')
    .trim()
    .slice(-MAX_LENGTH['versions.file_name'])
    .toWellFormed()
  return plain || 'file'
}

async function recognized(bytes: Uint8Array, name: string): Promise<Content> {
  try {
    return await sniff(bytes, name)
  } catch (error) {
    if (error instanceof Unreadable) throw new Refusal(422, error.problem)
    throw error
  }
}

function typeOf(content: Content): string {
  if ('mimeType' in content) return (kindOfMediaType(content.mimeType) ?? OTHER_KIND).type
  return (FILE_KINDS.find(({ read }) => read === content.kind) ?? OTHER_KIND).type
}

async function keep(
  service: Client,
  { id: request, library }: OpenRequest,
  { sender, address, message }: z.infer<typeof About>,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const id = crypto.randomUUID()
  const ending = endingOf(name)
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 10)
  const path = `${library}/${id}/${crypto.randomUUID()}/file${ending ? `.${ending}` : ''}`
  const files = service.storage.from('documents')
  // Don't trust the type that the sender claims: the reader detects it from the content.
  const stored = await files.upload(path, bytes, { contentType: 'application/octet-stream', cacheControl: FOR_GOOD })
  if (stored.error) throw stored.error
  const file = {
    id,
    path,
    sender_name: sender,
    sender_address: address,
    message: message.replaceAll('\0', '').toWellFormed(),
    file_name: name,
    title: stemOf(name),
    size_bytes: bytes.length,
    content_hash: sha256(bytes),
  }
  const { data: verdict } = await service.rpc('store_received_file', { request, file }).throwOnError()
  if (verdict === 'open') return
  await files.remove([path])
  if (verdict !== 'known') throw refusal('file_link_invalid')
}
