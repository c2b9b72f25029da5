import { useEffect, useRef } from 'react'
import type { SearchResultsHandle } from '../../features/search/search-results.tsx'

/** Moves the focus between the field of a search and its results.
 *  @param isCurrent What is on screen answers what was typed last. */
export function useResultFocus(isCurrent: boolean) {
  const results = useRef<SearchResultsHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const wantsResults = useRef(false)
  // The answer may come later than the wish to see it.
  useEffect(() => {
    if (!wantsResults.current || !isCurrent) return
    wantsResults.current = false
    if (document.activeElement === document.body) results.current?.focusFirst()
  })
  return {
    results,
    field,
    leaveField: () => {
      field.current?.blur()
      wantsResults.current = true
    },
    enterField: () => field.current?.select(),
  }
}
