import * as z from 'zod/mini'
import type { Database, Enums } from '../../supabase/functions/_shared/database.ts'
import type { UnreadableCode } from '../../supabase/functions/_shared/errors.ts'
import { msg, t } from '../lib/i18n/i18n.ts'
import { problemCode, problemText } from './problem.ts'

export const RECOGNITION_LANGUAGES = { en: { label: msg('English') }, de: { label: msg('German') } } as const
export type RecognitionLanguage = keyof typeof RECOGNITION_LANGUAGES
export const ALL_RECOGNITION_LANGUAGES = Object.keys(RECOGNITION_LANGUAGES) as RecognitionLanguage[]

const Languages = z.array(z.enum(ALL_RECOGNITION_LANGUAGES))

/** Returns a library's recognition languages; none if it's off. */
export function recognitionLanguages(stored: readonly string[]): RecognitionLanguage[] {
  const parsed = Languages.safeParse(stored)
  return parsed.success ? parsed.data : []
}

const IS_SCAN: UnreadableCode = 'pdf_without_text'

/** Whether a document can't be indexed because it's a scan. */
export const isScan = ({ state, problem }: { state: Enums<'indexing_state'>; problem: unknown }): boolean =>
  state === 'failed' && problemCode(problem) === IS_SCAN

type RecognitionState = Database['public']['Enums']['recognition_state']

/** Describes the state of text recognition; empty if nothing is left to do. */
export function recognitionText(document: {
  recognition: RecognitionState | null
  recognition_problem: unknown
}): string {
  switch (document.recognition) {
    case 'waiting':
      return t('Waiting for text recognition')
    case 'reading':
      return t('Text is being recognized')
    case 'failed':
      return problemText(document.recognition_problem)
    case null:
      return ''
  }
}

/** Describes a passage's page and whether it was recognized; may be empty. */
export function passagePlace({ page, recognized }: { page: number | null; recognized: boolean | null }): string {
  if (recognized)
    return page ? t('Text recognized from the picture, page {page}', { page }) : t('Text recognized from the picture')
  return page ? t('Page {page}', { page }) : ''
}
