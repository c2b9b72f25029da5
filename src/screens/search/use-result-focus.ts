import { useEffect, useRef } from 'react'
import type { SearchResultsHandle } from '../../features/search/search-results.tsx'

/** Moves the focus between a search field and its results.
 *  @param isCurrent Whether the results match what was typed last. */
export function useResultFocus(isCurrent: boolean) {
  const results = useRef<SearchResultsHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const wantsResults = useRef(false)
  // Results may arrive after they were requested by key.
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
