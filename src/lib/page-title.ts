import { useEffect } from 'react'

/** Names the page in the tab, in the history and for screen readers, most particular part first. */
export function usePageTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Carrel'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
