import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { currentTimeZone, saveTimeZone } from './mutations.ts'

/** The person and the time zone that this device has told last, under this key of localStorage. */
const KEY = 'carrel.time-zone'

/** Tells the database the time zone of this device where it is another one than before: mails come at an hour of the person's day.
 *  A failure is not shown, because the next visit tries again. */
export function useTimeZone(person: string): void {
  const { mutate } = useMutation(saveTimeZone)
  useEffect(() => {
    const zone = currentTimeZone()
    const told = `${person} ${zone}`
    try {
      if (localStorage.getItem(KEY) === told) return
      mutate(zone, { onSuccess: () => localStorage.setItem(KEY, told) })
    } catch {
      // A private window may have no storage: the time zone stays as it was.
    }
  }, [person, mutate])
}
