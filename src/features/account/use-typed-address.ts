import { useEffect, useState } from 'react'
import { currentLanguage } from '../../lib/i18n/i18n.ts'

let typed = ''

export const typedAddress = (): string => typed

/** The email being typed. Survives only a change of language, so that the next person doesn't see it. */
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
