import * as z from 'zod/mini'
import { failureText } from '../../domain/failure.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'
import { useStore } from '../../lib/store.ts'
import { createRecognitionQueue, type RecognitionQueue, type Scan } from './recognition-queue.ts'

/** localStorage key of unfinished scans, cleared on sign-out. */
const KEY = 'carrel.recognition'
const Stored = z.object({
  person: z.string(),
  scans: z.array(z.object({ library: z.string(), document: z.string(), title: z.string() })),
})

/** The owner of these scans; undefined before sign-in. */
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
    // Without storage, it continues until the page is closed.
  }
}

export const recognition: RecognitionQueue = createRecognitionQueue({
  open: async ({ document }, signal) => (await import('./leased-scan.ts')).openScan(document, signal),
  explain: failureText,
  remember: (scan) => storeScans([...storedScans().filter(({ document }) => document !== scan.document), scan]),
  forget: (wanted) => storeScans(storedScans().filter(({ document }) => document !== wanted)),
})
onSignOut(() => {
  recognition.clear()
  storeScans([])
  person = undefined
})

/** Resumes the person's scans after a reload, once per person. */
export function restoreRecognition(whose: string): void {
  if (person === whose) return
  person = whose
  for (const scan of storedScans()) recognition.add(scan)
}

export const useRecognition = () => useStore(recognition)
