import { describeFailure } from '../../domain/failure.ts'
import { recognitionLanguages } from '../../domain/recognition.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import type { OpenScan } from './open-scan.ts'
import { takeTurn, takeTurnIfFree } from './turns.ts'

/** Milliseconds between checks whether a document has been read. */
const PAUSE = 1500

type Lease = NonNullable<Awaited<ReturnType<typeof lease>>>

/** Opens a document on request. @returns null if no page is left, or another browser has it. */
export async function openScan(document: string, signal: AbortSignal): Promise<OpenScan | null> {
  const release = await takeTurn(signal)
  return await opened(release, signal, 'cancelled', async () => {
    await untilRead(document, signal)
    return await lease(signal, document)
  })
}

/** Opens the oldest waiting scan in the person's libraries.
 *  @returns null if there is none, or this browser already has one. */
export async function openNextScan(signal: AbortSignal): Promise<OpenScan | null> {
  const release = await takeTurnIfFree()
  return release ? await opened(release, signal, 'stopped', () => lease(signal)) : null
}

/** @param ifStopped The outcome reported if reading ends early. */
async function opened(
  release: () => void,
  signal: AbortSignal,
  ifStopped: 'stopped' | 'cancelled',
  take: () => Promise<Lease | undefined>,
): Promise<OpenScan | null> {
  let leased: Lease | undefined
  const giveBack = async (outcome: 'stopped' | 'cancelled' | 'failed') => {
    if (!leased) return
    // A lease that can't be released expires.
    await supabase.rpc('release_scan', { document: leased.document_id, outcome })
  }
  const outcomeOf = (error: unknown) =>
    signal.aborted ? ifStopped : describeFailure(error).worthRetrying ? 'stopped' : 'failed'
  try {
    leased = await take()
    if (!leased) {
      release()
      return null
    }
    const { version_id, pages, total, ...file } = leased
    const reader = await openReader(file, signal)
    let failure: unknown
    return {
      pages,
      total,
      async read(page) {
        try {
          const lines = await reader.read(page)
          await supabase
            .rpc('store_recognized_page', { version: version_id, page, lines })
            .abortSignal(signal)
            .throwOnError()
          return lines.length > 0
        } catch (error) {
          failure = error
          throw error
        }
      },
      async close(end) {
        reader.close()
        try {
          if (end !== 'done') await giveBack(end === 'stopped' ? ifStopped : outcomeOf(failure))
        } finally {
          release()
        }
      },
    }
  } catch (error) {
    try {
      await giveBack(outcomeOf(error))
    } finally {
      release()
    }
    throw error
  }
}

async function openReader(
  { storage_path, mime_type, languages }: Pick<Lease, 'storage_path' | 'mime_type' | 'languages'>,
  signal: AbortSignal,
) {
  const { data: file, error } = await supabase.storage.from('documents').download(storage_path, {}, { signal })
  if (error) throw error
  const [{ openPictures }, { openRecognizer }] = await Promise.all([
    import('./page-pictures.ts'),
    import('./recognizer.ts'),
  ])
  const pictures = await openPictures(file, mime_type)
  try {
    const recognizer = await openRecognizer(recognitionLanguages(languages), signal)
    return {
      read: async (page: number) => await recognizer.read(await pictures.picture(page)),
      close() {
        recognizer.close()
        pictures.close()
      },
    }
  } catch (error) {
    pictures.close()
    throw error
  }
}

const lease = async (signal: AbortSignal, document?: string) =>
  (
    await supabase
      .rpc('next_scan', document === undefined ? {} : { document })
      .abortSignal(signal)
      .throwOnError()
  ).data[0]

async function untilRead(document: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { data } = await supabase
      .from('documents')
      .select('state')
      .eq('id', document)
      .is('deleted_at', null)
      .abortSignal(signal)
      .maybeSingle()
      .throwOnError()
    if (!data || data.state === 'ready' || data.state === 'failed') return
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    signal.throwIfAborted()
  }
}
