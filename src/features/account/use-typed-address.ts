import { useEffect, useState } from 'react'
import { currentLanguage } from '../../lib/i18n/i18n.ts'

let typed = ''

/** The address that has been typed so far. */
export const typedAddress = (): string => typed

/** The mail address that somebody types. A change of the language mounts the whole app again: the address outlives it, and nothing else, so
 *  that whoever comes next on this device does not see it. */
export function useTypedAddress(): [string, (address: string) => void] {
  const [address, setAddress] = useState(typed)
  useEffect(() => {
    typed = address
    const language = currentLanguage()
    return () => {
      if (currentLanguage() === language) typed = ''
    }
  }, [address])
  return [address, setAddress]
}
