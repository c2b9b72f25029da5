import { useEffect } from 'react'

export function usePageTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Carrel'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}

/** Lets the browser ask before it closes a page that would lose something. */
export function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isOn])
}
