import { useEffect } from 'react'

/** Sets the page's title, most specific part first. */
export function usePageTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Carrel'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
