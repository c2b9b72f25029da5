import type { User } from '@supabase/supabase-js'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { currentLanguage } from '../../lib/i18n/i18n.ts'
import { saveMailLanguage } from './mutations.ts'

/** Sets the mail language of accounts created by others or a provider. Retries on the next visit. */
export function useMailLanguage({ id, user_metadata }: User): void {
  const { mutate } = useMutation(saveMailLanguage)
  const isMissing = user_metadata.locale === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each account
  useEffect(() => {
    if (isMissing) mutate(currentLanguage())
  }, [id])
}
