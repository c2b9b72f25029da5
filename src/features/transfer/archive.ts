import { type AsyncUnzipOptions, unzip } from 'fflate'
import { MAX_FILE } from '../../../supabase/functions/_shared/facts.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { MANIFEST_NAME, Manifest } from './manifest.ts'

/** Bytes of all unpacked entries. fflate never exceeds an entry's declared size, so lying archives fail. */
const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3
const MAX_MANIFEST_BYTES = 100 * 1024 ** 2
const MAX_ENTRIES = 50_000
/** Notion splits large exports into several ZIPs inside one. */
const PART = /-Part-\d+\.zip$/

export type Archive = { manifest: Manifest | undefined; files: Map<string, Uint8Array> }

/** Unpacks a ZIP and its parts, with carrel.json if it's our export. Skips hidden and system files.
 *  @throws {Error} with a message for the user if it's not a ZIP or too large. */
export async function openArchive(file: Blob): Promise<Archive> {
  const measured = { total: 0, entries: 0 }
  const files = new Map<string, Uint8Array>()
  for (const [path, bytes] of await unpack(new Uint8Array(await file.arrayBuffer()), measured)) {
    if (!PART.test(path)) files.set(path, bytes)
    else for (const [inside, content] of await unpack(bytes, measured)) files.set(inside, content)
  }
  const listed = files.get(MANIFEST_NAME)
  if (!listed) return { manifest: undefined, files }
  files.delete(MANIFEST_NAME)
  return { manifest: readManifest(listed), files }
}

/** @param measured Bytes unpacked so far. */
async function unpack(
  bytes: Uint8Array,
  measured: { total: number; entries: number },
): Promise<Map<string, Uint8Array>> {
  let tooMuch = false
  const isWanted = (name: string) => !name.endsWith('/') && !isHidden(name)
  // Measure everything before unpacking anything.
  await entriesOf(bytes, ({ name, originalSize }) => {
    if (!isWanted(name)) return false
    measured.total += originalSize
    measured.entries += 1
    const limit = PART.test(name) ? MAX_ARCHIVE_BYTES : name === MANIFEST_NAME ? MAX_MANIFEST_BYTES : MAX_FILE
    tooMuch ||= measured.total > MAX_ARCHIVE_BYTES || measured.entries > MAX_ENTRIES || originalSize > limit
    return false
  })
  if (tooMuch) throw new Error(t('This ZIP is too large: at most 2 GB in total, and 50 MB for each file.'))
  return new Map(Object.entries(await entriesOf(bytes, ({ name }) => isWanted(name))))
}

const entriesOf = (
  bytes: Uint8Array,
  filter: NonNullable<AsyncUnzipOptions['filter']>,
): Promise<Record<string, Uint8Array>> =>
  new Promise<Record<string, Uint8Array>>((resolve, reject) => {
    unzip(bytes, { filter }, (error, result) => (error ? reject(error) : resolve(result)))
  }).catch((cause) => {
    throw new Error(t('This ZIP can’t be opened. It may be damaged or locked with a password.'), { cause })
  })

function readManifest(bytes: Uint8Array): Manifest {
  try {
    return Manifest.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch (cause) {
    throw new Error(t('This export’s list, carrel.json, can’t be read. It may come from a newer Carrel.'), {
      cause,
    })
  }
}

const isHidden = (name: string): boolean => name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
