import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { timeZone } from '../../domain/document-filter.ts'
import { PERSONAL } from '../../lib/session/sign-out-cleanup.ts'
import { saveTimeZone } from './mutations.ts'

/** localStorage key of the person and time zone reported last. */
const KEY = `${PERSONAL}time-zone`

/** Reports a changed time zone, because mails are sent at a local hour. Fails silently and retries on the next visit. */
export function useTimeZone(person: string): void {
  const { mutate } = useMutation(saveTimeZone)
  useEffect(() => {
    const zone = timeZone()
    const reported = `${person} ${zone}`
    try {
      if (localStorage.getItem(KEY) === reported) return
      mutate(zone, { onSuccess: () => localStorage.setItem(KEY, reported) })
    } catch {
      // Without storage, the time zone stays unchanged.
    }
  }, [person, mutate])
}
