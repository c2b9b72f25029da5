import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { failureText } from '../../domain/failure.ts'
import { recognitionLanguages } from '../../domain/recognition.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'
import { createRecognitionQueue, type OpenScan, type RecognitionQueue, type Scan } from './recognition-queue.ts'

/** What is not done stays in this browser until it is, or until the person signs out. */
const KEY = 'carrel.recognition'
const Stored = z.object({
  person: z.string(),
  scans: z.array(z.object({ library: z.string(), document: z.string(), title: z.string() })),
})

/** Milliseconds between two looks at a document that has not been read yet. */
const PAUSE = 1500

/** Whose scans these are; undefined before anybody has signed in. */
let person: string | undefined

function storedScans(): Scan[] {
  try {
    const stored = Stored.parse(JSON.parse(localStorage.getItem(KEY) ?? ''))
    return stored.person === person ? stored.scans : []
  } catch {
    return []
  }
}

function storeScans(scans: readonly Scan[]): void {
  try {
    if (scans.length > 0) localStorage.setItem(KEY, JSON.stringify({ person, scans }))
    else localStorage.removeItem(KEY)
  } catch {
    // A browser that stores nothing continues until the page is closed.
  }
}

async function openScan(scan: Scan, signal: AbortSignal): Promise<OpenScan | null> {
  const release = await takeTurn(signal)
  try {
    const { languages, version, left, total } = await readScan(scan, signal)
    if (!version?.storage_path || left.length === 0) {
      release()
      return null
    }
    if (languages.length === 0) throw new Error(t('Text recognition is turned off in this library.'))
    const [{ openPictures }, { openRecognizer }] = await Promise.all([
      import('./page-pictures.ts'),
      import('./recognizer.ts'),
    ])
    const { data: file, error } = await supabase.storage
      .from('documents')
      .download(version.storage_path, {}, { signal })
    if (error) throw error
    const pictures = await openPictures(file, version.mime_type)
    const close = () => {
      pictures.close()
      release()
    }
    try {
      const recognizer = await openRecognizer(languages, signal)
      return {
        pages: left,
        total,
        async read(page) {
          const lines = await recognizer.read(await pictures.picture(page))
          await supabase.rpc('store_recognized_page', { version: version.id, page, lines }).throwOnError()
          return lines.length > 0
        },
        close() {
          recognizer.close()
          close()
        },
      }
    } catch (error) {
      pictures.close()
      throw error
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Waits until no other tab of this browser recognizes text: one worker takes all that a processor has.
 *  @returns what lets the next one begin. */
function takeTurn(signal: AbortSignal): Promise<() => void> {
  // Not at hand on pages without TLS.
  if (!('locks' in navigator)) return Promise.resolve(() => {})
  return new Promise((resolve, reject) => {
    navigator.locks.request(KEY, { signal }, () => new Promise<void>((release) => resolve(release))).catch(reject)
  })
}

/** Waits until a document has been read, and says which pages are left. */
async function readScan({ document }: Scan, signal: AbortSignal) {
  for (;;) {
    const { data } = await supabase
      .from('documents')
      .select(
        'state, library:libraries(recognition_languages), version:versions!documents_current_version_id_fkey(id, storage_path, mime_type, pages_without_text, recognized_pages(page))',
      )
      .eq('id', document)
      .is('deleted_at', null)
      .abortSignal(signal)
      .maybeSingle()
      .throwOnError()
    const version = data?.version
    if (!data || data.state === 'ready' || data.state === 'failed') {
      const recognized = new Set(version?.recognized_pages.map(({ page }) => page))
      const all = version?.pages_without_text ?? []
      return {
        languages: recognitionLanguages(data?.library?.recognition_languages ?? []),
        version,
        left: all.filter((page) => !recognized.has(page)),
        total: all.length,
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    signal.throwIfAborted()
  }
}

export const recognition: RecognitionQueue = createRecognitionQueue({
  open: openScan,
  index: async ({ document }) => {
    await supabase.rpc('read_again', { documents: [document] }).throwOnError()
  },
  explain: failureText,
  remember: (scan) => storeScans([...storedScans().filter(({ document }) => document !== scan.document), scan]),
  forget: (wanted) => storeScans(storedScans().filter(({ document }) => document !== wanted)),
})
onSignOut(() => {
  recognition.clear()
  storeScans([])
  person = undefined
})

/** Continues with what this person had under way before the page was reloaded. Once for each person. */
export function restoreRecognition(whose: string): void {
  if (person === whose) return
  person = whose
  for (const scan of storedScans()) recognition.add(scan)
}

export const useRecognition = () => useSyncExternalStore(recognition.subscribe, recognition.get)
