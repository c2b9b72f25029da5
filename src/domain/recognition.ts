import * as z from 'zod/mini'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import type { UnreadableCode } from '../../supabase/functions/_shared/errors.ts'
import { msg, t } from '../lib/i18n/i18n.ts'
import type { IndexingState } from './indexing-states.ts'
import { problemCode, problemText } from './problem.ts'

/** The languages in which the text of scans can be recognized. */
export const RECOGNITION_LANGUAGES = { en: { label: msg('English') }, de: { label: msg('German') } } as const
export type RecognitionLanguage = keyof typeof RECOGNITION_LANGUAGES
export const ALL_RECOGNITION_LANGUAGES = Object.keys(RECOGNITION_LANGUAGES) as RecognitionLanguage[]

const Languages = z.array(z.enum(ALL_RECOGNITION_LANGUAGES))

/** The languages that a library has chosen; none when it has not turned recognition on. */
export function recognitionLanguages(stored: readonly string[]): RecognitionLanguage[] {
  const parsed = Languages.safeParse(stored)
  return parsed.success ? parsed.data : []
}

const IS_SCAN: UnreadableCode = 'pdf_without_text'

/** Whether a document could not be indexed because it is a scan. */
export const isScan = ({ state, problem }: { state: IndexingState; problem: unknown }): boolean =>
  state === 'failed' && problemCode(problem) === IS_SCAN

type RecognitionState = Database['public']['Enums']['recognition_state']

/** What becomes of a document's pages that are pictures; empty where none is left to be recognized. */
export function recognitionText(document: {
  recognition: RecognitionState | null
  recognition_problem: unknown
}): string {
  switch (document.recognition) {
    case 'waiting':
      return t('Waits for text recognition')
    case 'reading':
      return t('Text is being recognized')
    case 'failed':
      return problemText(document.recognition_problem)
    case null:
      return ''
  }
}

/** Where a passage begins, and whether its text was recognized in a picture; empty for one without either. */
export function passagePlace({ page, recognized }: { page: number | null; recognized: boolean | null }): string {
  if (recognized)
    return page ? t('Text recognized from the picture, page {page}', { page }) : t('Text recognized from the picture')
  return page ? t('Page {page}', { page }) : ''
}
